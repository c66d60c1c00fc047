#include "lab/experiments/interventions/intervention_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/reached_ids.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"
#include "model/heads.hpp"

namespace summand::lab {

namespace interventions {
namespace {

using Eigen::Index;

constexpr int kAttempts = 20;  // to find a word that differs

constexpr NumberName kPositionLeftOut{"interventions", "position_left_out"};
constexpr NumberName kWordsShuffled{"interventions", "words_shuffled"};
constexpr NumberName kSegmentFlipped{"interventions", "segment_flipped"};
constexpr NumberName kWordsDealt{"interventions", "words_dealt"};
constexpr NumberName kSameModel{"interventions", "same_model"};

Intervention of_model(const NumberName& name, std::function<void(ChangedModel&)> change) {
  return {.name = name.name, .words = name.label(), .model = std::move(change)};
}

Intervention of_texts(const NumberName& name, Edit change) {
  return {.name = name.name, .words = name.label(), .edit = std::move(change)};
}

/// Every row the mean row plus so much of its deviation from it.
Table scaled_deviations(const Table& table, double strength) {
  return (strength * centred(table)).rowwise() + column_means(table).transpose();
}

/// The rows in use but row 0, less their mean: what the order of words is told by. No row where there is but row 0.
Table order_deviations(const Subject& subject, RowsInUse rows) {
  const Index last = std::min(static_cast<Index>(rows.count), subject.positions.rows());
  if (last < 2) return Table(0, subject.positions.cols());
  return centred(seen_positions(subject).middleRows(1, last - 1));
}

/// The table with so much of them.
Table with_order(const Subject& subject, RowsInUse rows, double strength) {
  const Table deviations = order_deviations(subject, rows);
  Table positions = subject.positions;
  positions.middleRows(1, deviations.rows()) += (strength - 1) * deviations;
  return positions;
}

std::function<void(ChangedModel&)> with_positions(Table positions) {
  return [positions = std::move(positions)](ChangedModel& model) { model.replace_positions(positions); };
}

std::function<void(ChangedModel&)> with_segments(Table segments) {
  return [segments = std::move(segments)](ChangedModel& model) { model.replace(kSegmentTable, segments); };
}

Edit all_segments(int32_t segment) {
  return [segment](model::Batch& batch) { std::ranges::fill(batch.segments, segment); };
}

void flip_segments(model::Batch& batch) {
  for (int32_t& segment : batch.segments) segment = segment == 0 ? 1 : 0;
}

/// Each text's ordinary tokens, by their numbers in the batch.
std::vector<std::vector<size_t>> ordinary_by_text(const Texts& texts) {
  std::vector<std::vector<size_t>> ordinary(texts.batch.texts());
  for (size_t t = 0; t < texts.special.size(); ++t) {
    if (!texts.special[t]) ordinary[texts.text[t]].push_back(t);
  }
  return ordinary;
}

/// Ordinary tokens change places among themselves, the same order whenever it is called.
Edit shuffled_words(const Texts& texts, uint64_t seed) {
  return [ordinary = ordinary_by_text(texts), seed](model::Batch& batch) {
    RandomStream stream(seed, "interventions: order within texts");
    for (const auto& tokens : ordinary) {
      std::vector<int32_t> positions;
      for (const size_t t : tokens) positions.push_back(batch.positions[t]);
      stream.shuffle(std::span(positions));
      for (size_t i = 0; i < tokens.size(); ++i) batch.positions[tokens[i]] = positions[i];
    }
  };
}

/// Rows in use but row 0 in another order.
Table order_permuted(const Subject& subject, RowsInUse rows, RandomStream& stream) {
  const Index last = std::min(static_cast<Index>(rows.count), subject.positions.rows());
  Table positions = subject.positions;
  if (last > 2) positions.middleRows(1, last - 1) = row_shuffled(subject.positions.middleRows(1, last - 1), stream);
  return positions;
}

/// Ordinary tokens stand at a row of their own, the mean of those in use but row 0.
Intervention word_order_averaged(const Subject& subject, const Texts& texts, RowsInUse rows) {
  const Index count = subject.positions.rows();
  Table positions(count + 1, subject.positions.cols());
  positions.topRows(count) = subject.positions;
  const Index last = std::clamp<Index>(static_cast<Index>(rows.count), 1, count);
  positions.row(count) = subject.positions.row(0);
  if (last > 1) positions.row(count) = column_means(subject.positions.middleRows(1, last - 1)).transpose();
  Intervention one = of_model(kWordOrderAveraged, with_positions(std::move(positions)));
  one.edit = [ordinary = ordinary_by_text(texts), at = static_cast<int32_t>(count)](model::Batch& batch) {
    for (const auto& tokens : ordinary) {
      for (const size_t t : tokens) batch.positions[t] = at;
    }
  };
  return one;
}

Edit shifted_positions(int32_t by) {
  return [by](model::Batch& batch) {
    for (int32_t& position : batch.positions) position += by;
  };
}

std::vector<size_t> ordinary_tokens(const Texts& texts) {
  std::vector<size_t> tokens;
  for (size_t t = 0; t < texts.special.size(); ++t) {
    if (!texts.special[t]) tokens.push_back(t);
  }
  return tokens;
}

Edit with_ids(std::vector<int32_t> ids) {
  return [ids = std::move(ids)](model::Batch& batch) { batch.ids = ids; };
}

Vector random_direction(Index size, RandomStream& stream) {
  return random_frame(1, static_cast<size_t>(size), stream).row(0).transpose();
}

/// Puts a table of tokens in the place of the model's, of which only some rows differ.
void replace_tokens(ChangedModel& model, const Subject& subject, const std::set<int32_t>& ids, double strength) {
  if (model::contains_head(model.weights, model::Head::masked_language)) {
    const model::Tensor weight = model::decoder_weight(model.weights);
    const model::Tensor bias = model::decoder_bias(model.weights);
    model.weights.set("cls.predictions.decoder.weight", weight);
    model.weights.set("cls.predictions.decoder.bias", bias);
  }
  const auto& tensor = model.weights.at(kTokenTable);
  auto values = model::to_floats(tensor);
  const Vector middle = column_means(reached_tokens(subject));
  for (const int32_t id : ids) {
    const Vector row = middle + strength * (subject.tokens.row(id).transpose() - middle);
    std::ranges::transform(elements(row), values.begin() + Index{id} * row.size(),
                           [](double value) { return static_cast<float>(value); });
  }
  model.weights.set(kTokenTable, model::make_tensor(tensor.shape, values));
}

}  // namespace
}  // namespace interventions

std::vector<Intervention> segment_interventions(const Subject& subject) {
  using namespace interventions;
  if (subject.segments.rows() < 2) return {};
  const Table none = Table::Zero(subject.segments.rows(), subject.segments.cols());
  return {of_model(kSegmentAveraged, with_segments(scaled_deviations(subject.segments, 0))),
          of_texts(kSegmentAll0, all_segments(0)), of_texts(kSegmentAll1, all_segments(1)),
          of_texts(kSegmentFlipped, flip_segments), of_model(kSegmentLeftOut, with_segments(none))};
}

std::vector<Intervention> position_interventions(const Subject& subject, const Texts& texts, RowsInUse rows,
                                                 uint64_t seed) {
  using namespace interventions;
  const Table& positions = subject.positions;
  RandomStream stream(seed, "interventions: order of rows");
  std::vector<Intervention> list{
      of_model(kOrderAveraged, with_positions(with_order(subject, rows, 0))),
      word_order_averaged(subject, texts, rows),
      of_model(kPositionAveraged, with_positions(scaled_deviations(positions, 0))),
      of_model(kPositionLeftOut, with_positions(Table::Zero(positions.rows(), positions.cols()))),
      of_model(kOrderPermuted, with_positions(order_permuted(subject, rows, stream))),
      of_texts(kWordsShuffled, shuffled_words(texts, seed))};
  for (const int32_t shift : {1, 8, 64, 256}) {
    if (static_cast<Index>(rows.count) + shift > positions.rows()) break;
    list.push_back({.name = kPositionShift.of(std::to_string(shift)),
                    .words = kPositionShift.label({{"shift", shift}}),
                    .edit = shifted_positions(shift)});
  }
  return list;
}

Intervention one_word(const Texts& texts, RandomStream& stream) {
  using namespace interventions;
  const auto ordinary = ordinary_tokens(texts);
  std::vector<int32_t> ids = texts.batch.ids;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    const auto begin = std::ranges::lower_bound(ordinary, texts.batch.offsets[text]);
    const auto end = std::ranges::lower_bound(ordinary, texts.batch.offsets[text + 1]);
    if (begin == end) continue;
    const size_t place = *(begin + static_cast<std::ptrdiff_t>(stream.below(static_cast<size_t>(end - begin))));
    for (int attempt = 0; attempt < kAttempts && ids[place] == texts.batch.ids[place]; ++attempt) {
      ids[place] = texts.batch.ids[ordinary[stream.below(ordinary.size())]];
    }
  }
  return of_texts(kOneWord, with_ids(std::move(ids)));
}

Intervention words_dealt(const Texts& texts, RandomStream& stream) {
  using namespace interventions;
  const auto ordinary = ordinary_tokens(texts);
  auto order = ordinary;
  stream.shuffle(std::span(order));
  std::vector<int32_t> ids = texts.batch.ids;
  for (size_t i = 0; i < ordinary.size(); ++i) ids[ordinary[i]] = texts.batch.ids[order[i]];
  return of_texts(kWordsDealt, with_ids(std::move(ids)));
}

Intervention same_model(const Subject& subject) {
  using namespace interventions;
  const Vector constant = column_means(subject.positions);
  const Table positions = subject.positions.rowwise() - constant.transpose();
  const Table segments = subject.segments.rowwise() + constant.transpose();
  return of_model(kSameModel, [positions, segments](ChangedModel& model) {
    model.replace_positions(positions);
    model.replace(kSegmentTable, segments);
  });
}

Intervention displaced_order(const Subject& subject, RowsInUse rows, RandomStream& stream) {
  using namespace interventions;
  const Table deviations = order_deviations(subject, rows);
  Table positions = subject.positions;
  if (deviations.rows() > 0) {
    const double length = std::sqrt(deviations.rowwise().squaredNorm().mean());
    positions.middleRows(1, deviations.rows()).rowwise() +=
        (length * random_direction(positions.cols(), stream)).transpose();
  }
  return of_model(kOrderDisplaced, with_positions(std::move(positions)));
}

Intervention displaced_segments(const Subject& subject, RandomStream& stream) {
  using namespace interventions;
  const double length = std::sqrt(centred(seen_rows(subject, subject.segments)).rowwise().squaredNorm().mean());
  const Vector by = length * random_direction(subject.segments.cols(), stream);
  return of_model(kSegmentDisplaced, with_segments(subject.segments.rowwise() + by.transpose()));
}

Intervention dosed(const Subject& subject, DosedPart part, double strength, const Texts& texts) {
  using namespace interventions;
  const auto& words = series_of_parts()[static_cast<size_t>(part)].words;
  Intervention one{.name = fmt::format("dose_{}_{:g}", words.en, strength), .words = {}};
  switch (part) {
    case DosedPart::token: {
      std::set<int32_t> ids(texts.batch.ids.begin(), texts.batch.ids.end());
      if (const auto mask = mask_id(subject.model->tokenizer(), subject.tokens.rows())) ids.insert(*mask);
      one.model = [&subject, strength, ids = std::move(ids)](ChangedModel& model) {
        replace_tokens(model, subject, ids, strength);
      };
      break;
    }
    case DosedPart::position:
      one.model = with_positions(with_order(subject, {.count = longest_of(texts)}, strength));
      break;
    case DosedPart::segment:
      one.model = with_segments(scaled_deviations(subject.segments, strength));
      break;
  }
  return one;
}

}  // namespace summand::lab
