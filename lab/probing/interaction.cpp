#include "lab/probing/interaction.hpp"

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/cross_entropy.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/watch.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;
using reference::kMixedDirections;
using reference::MixedDual;

Table directions_of(Index hidden, uint64_t seed) {
  RandomStream stream(seed, "interaction: directions");
  const auto width = static_cast<size_t>(hidden);
  if (width >= Interaction::kDirections) return random_frame(Interaction::kDirections, width, stream);
  return white_noise({Interaction::kDirections, width}, stream);
}

/// Every sum as a scalar, row after row.
template <class Scalar>
std::vector<Scalar> scalars_of(const Table& sum) {
  std::vector<Scalar> values;
  values.reserve(static_cast<size_t>(sum.size()));
  for (const double value : elements(sum)) values.emplace_back(value);
  return values;
}

/// Steps [begin, begin + 8) of a list, or fewer.
std::span<const Step> block_of(std::span<const Step> steps, size_t begin) {
  return steps.subspan(begin, std::min(kMixedDirections, steps.size() - begin));
}

}  // namespace

std::vector<Step> steps_along(const Table& rows, size_t token) {
  std::vector<Step> steps;
  for (Index i = 0; i < rows.rows(); ++i) steps.push_back({.token = token, .along = rows.row(i).transpose()});
  return steps;
}

std::optional<LocalizedText> lacks_interaction(const Subject& subject, size_t length) {
  if (auto lacking = lacks_sum(subject)) return lacking;
  const bool has_text = std::ranges::any_of(subject.corpus.sentences,
                                            [&](const text::Encoding& one) { return one.ids.size() >= length; });
  if (has_text && subject.positions.rows() >= static_cast<Index>(length)) return {};
  return localize("probing.gaps.length", {{"length", length}});
}

Interaction::Interaction(const Subject& subject, const Conditions& conditions)
    : subject_(subject),
      conditions_(conditions),
      has_loss_(!lacks_masked_language(subject)),
      directions_(directions_of(subject.positions.cols(), conditions.seed)),
      mean_position_(column_means(subject.positions)),
      plain_(subject.model->config(), subject.model->checkpoint().weights),
      plain_heads_(subject.model->config(), subject.model->checkpoint().weights),
      mixed_(subject.model->config(), subject.model->checkpoint().weights),
      mixed_heads_(subject.model->config(), subject.model->checkpoint().weights) {}

size_t Interaction::functions() const {
  return kDirections + (has_loss_ ? 1 : 0);
}

std::vector<ExpandedText> Interaction::texts(size_t count, size_t length) const {
  RandomStream stream(conditions_.seed, "interaction: texts");
  const Texts chosen = texts_of(subject_, {.most = count, .longest = length, .shortest = length}, stream);
  std::vector<ExpandedText> texts;
  for (size_t i = 0; i < chosen.batch.texts(); ++i) {
    const size_t begin = chosen.batch.offsets[i];
    std::vector<int32_t> ids(chosen.batch.ids.begin() + static_cast<std::ptrdiff_t>(begin),
                             chosen.batch.ids.begin() + static_cast<std::ptrdiff_t>(begin + length));
    ids.back() = subject_.corpus.sentences.front().ids.back();
    const std::span<const int32_t> segments(chosen.batch.segments);
    ExpandedText text;
    text.batch.add(ids, segments.subspan(begin, length));
    if (has_loss_) text.batch.ids[length / 2] = subject_.model->tokenizer().mask_id().value();
    text.sum.resize(static_cast<Index>(length), mean_position_.size());
    text.moves.resizeLike(text.sum);
    for (size_t t = 0; t < length; ++t) {
      const auto row = static_cast<Index>(t);
      text.sum.row(row) = subject_.tokens.row(text.batch.ids[t]) + subject_.segments.row(text.batch.segments[t]) +
                          mean_position_.transpose();
      text.moves.row(row) = subject_.positions.row(row) - mean_position_.transpose();
    }
    text.label = has_loss_ ? ids[length / 2] : 0;
    texts.push_back(std::move(text));
  }
  return texts;
}

template <class Scalar>
std::vector<Scalar> Interaction::functions_of(const reference::Bert<Scalar>& bert,
                                              const reference::Heads<Scalar>& heads, const ExpandedText& text,
                                              const std::vector<Scalar>& sum) const {
  Watch<Scalar> put({model::TapPoint::sum}, [&](const model::TapSite&, MatrixView<Scalar> values) {
    for (size_t row = 0; row < values.rows(); ++row) {
      for (size_t j = 0; j < values.columns(); ++j) values(row, j) = sum[row * values.columns() + j];
    }
  });
  const auto output = bert.run(text.batch, 0, &put);
  const auto& last = output.hidden_states.back();
  std::vector<Scalar> means(last.columns(), Scalar(0));
  for (size_t row = 0; row < last.rows(); ++row) {
    for (size_t j = 0; j < last.columns(); ++j) means[j] = means[j] + last(row, j);
  }
  std::vector<Scalar> results(functions(), Scalar(0));
  for (size_t f = 0; f < kDirections; ++f) {
    for (size_t j = 0; j < means.size(); ++j) {
      const double weight = directions_(static_cast<Index>(f), static_cast<Index>(j));
      reference::add_weighted(results[f], means[j], weight / static_cast<double>(last.rows()));
    }
  }
  if (has_loss_) {
    const size_t masked[]{text.batch.tokens() / 2};
    const auto logits = heads.logits(model::Head::masked_language, output, masked);
    results.back() = cross_entropy<Scalar, Scalar>(logits.row(0), static_cast<size_t>(text.label));
  }
  return results;
}

std::vector<Vector> Interaction::values(const ExpandedText& text, std::span<const Table> sums) const {
  std::vector<Vector> values(sums.size());
  run_tasks(conditions_, sums.size(), [&](size_t i) {
    const auto results = functions_of(plain_, plain_heads_, text, scalars_of<double>(sums[i]));
    values[i] = Eigen::Map<const Vector>(results.data(), static_cast<Index>(results.size()));
  });
  return values;
}

void Interaction::derive(const DirectedText& of, size_t first_from, size_t second_from, Derivatives& result) const {
  const auto first = block_of(of.first, first_from);
  const auto second = block_of(of.second, second_from);
  auto sum = scalars_of<MixedDual>(of.text.sum);
  const auto hidden = static_cast<size_t>(of.text.sum.cols());
  for (size_t j = 0; j < hidden; ++j) {
    for (size_t k = 0; k < first.size(); ++k) {
      sum[first[k].token * hidden + j].derivatives[k].value += first[k].along(static_cast<Index>(j));
    }
    for (size_t l = 0; l < second.size(); ++l) {
      sum[second[l].token * hidden + j].value.derivatives[l] += second[l].along(static_cast<Index>(j));
    }
  }
  const auto values = functions_of(mixed_, mixed_heads_, of.text, sum);
  const auto row = static_cast<Index>(first_from);
  const auto column = static_cast<Index>(second_from);
  for (size_t f = 0; f < values.size(); ++f) {
    for (size_t k = 0; k < first.size(); ++k) {
      const auto at = row + static_cast<Index>(k);
      if (column == 0) result.first(static_cast<Index>(f), at) = values[f].derivatives[k].value;
      for (size_t l = 0; l < second.size(); ++l) {
        result.mixed[f](at, column + static_cast<Index>(l)) = values[f].derivatives[k].derivatives[l];
      }
    }
  }
}

std::vector<Derivatives> Interaction::derivatives(std::span<const DirectedText> texts) const {
  struct Block {
    size_t text, first_from, second_from;
  };
  std::vector<Block> blocks;
  std::vector<Derivatives> results;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& [text, first, second] = texts[i];
    const auto rows = static_cast<Index>(first.size());
    const auto columns = static_cast<Index>(second.size());
    results.push_back({.first = Table::Zero(static_cast<Index>(functions()), rows),
                       .mixed = std::vector<Table>(functions(), Table::Zero(rows, columns))});
    for (size_t k = 0; k < first.size(); k += kMixedDirections) {
      for (size_t l = 0; l < second.size(); l += kMixedDirections) blocks.push_back({i, k, l});
    }
  }
  run_tasks(conditions_, blocks.size(), [&](size_t task) {
    const auto& [i, first_from, second_from] = blocks[task];
    derive(texts[i], first_from, second_from, results[i]);
  });
  return results;
}

}  // namespace summand::lab
