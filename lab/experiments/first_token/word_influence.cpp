#include "lab/experiments/first_token/word_influence.hpp"
#include "lab/subject/table_of.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "lab/experiments/first_token/flow_shares.hpp"
#include "lab/probing/attention.hpp"
#include "lab/subject/reached_ids.hpp"
#include "lab/subject/subject.hpp"
#include "summand/assert.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

Table last_states(const engine::Engine& engine, const model::Batch& batch) {
  const std::array<size_t, 1> last{static_cast<size_t>(engine.config().num_hidden_layers)};
  return table_of(engine::hidden_states(engine, batch, last).front().view());
}

/// A text of these words alone, the text's own first and last tokens around them.
void add_words(const Subject& subject, const Texts& from, size_t text, std::span<const Index> words, Texts& to) {
  const size_t begin = from.batch.offsets[text];
  std::vector<int32_t> ids{from.batch.ids[begin]};
  std::vector<int32_t> segments{from.batch.segments[begin]};
  for (const Index word : words) {
    ids.push_back(from.batch.ids[begin + static_cast<size_t>(word)]);
    segments.push_back(from.batch.segments[begin + static_cast<size_t>(word)]);
  }
  std::vector<bool> special(ids.size(), false);
  special.front() = true;
  if (const auto separator = subject.model->tokenizer().sep_id()) {
    ids.push_back(*separator);
    segments.push_back(segments.back());
    special.push_back(true);
  }
  to.text.insert(to.text.end(), ids.size(), to.batch.texts());
  to.batch.add(ids, segments);
  to.special.insert(to.special.end(), special.begin(), special.end());
}

}  // namespace

WordInfluence word_influence(const Subject& subject, const engine::Engine& engine, const Texts& texts, size_t text,
                             Index drawn, Index second) {
  const auto words = ordinary_words(texts, text);
  const auto& tokenizer = subject.model->tokenizer();
  const auto mask = mask_id(tokenizer, subject.tokens.rows());
  const auto gone = mask ? mask : tokenizer.unk_id();
  SUMMAND_ASSERT(gone.has_value());
  const size_t begin = texts.batch.offsets[text];
  const size_t length = texts.batch.length(text);
  const std::span<const int32_t> ids = std::span(texts.batch.ids).subspan(begin, length);
  const std::span<const int32_t> segments = std::span(texts.batch.segments).subspan(begin, length);
  model::Batch batch;
  batch.add(ids, segments);
  for (const Index word : words) {
    std::vector<int32_t> without(ids.begin(), ids.end());
    without[static_cast<size_t>(word)] = *gone;
    batch.add(without, segments);
  }
  const Table states = last_states(engine, batch);
  const auto rows = static_cast<Index>(length);
  const auto mean_at = [&](Index first) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(states.cols());
    for (const Index word : words) sum += states.row(first + word);
    return (sum / static_cast<double>(words.size())).eval();
  };
  WordInfluence influence;
  for (size_t i = 0; i < words.size(); ++i) {
    const Index at = static_cast<Index>(i + 1) * rows;
    influence.first.push_back((states.row(at) - states.row(0)).norm());
    influence.mean.push_back((mean_at(at) - mean_at(0)).norm());
    influence.drawn.push_back((states.row(at + drawn) - states.row(drawn)).norm());
    influence.second.push_back((states.row(at + second) - states.row(second)).norm());
  }
  return influence;
}

std::vector<double> found(const Table& one, const Table& other) {
  const Vector lengths = other.rowwise().norm().cwiseMax(1e-30);
  const Table products = one * (lengths.cwiseInverse().asDiagonal() * other).transpose();
  std::vector<double> hits;
  for (Index i = 0; i < products.rows(); ++i) {
    Index nearest = 0;
    products.row(i).maxCoeff(&nearest);
    hits.push_back(nearest == i ? 1 : 0);
  }
  return hits;
}

TextPairs halves_of(const Subject& subject, const Texts& texts, size_t least_words) {
  TextPairs pairs;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    const auto words = ordinary_words(texts, text);
    if (words.size() < least_words) continue;
    const std::span<const Index> all(words);
    add_words(subject, texts, text, all.first(all.size() / 2), pairs.one);
    add_words(subject, texts, text, all.subspan(all.size() / 2), pairs.other);
  }
  return pairs;
}

TextPairs thinned(const Subject& subject, const Texts& texts, RandomStream& stream) {
  TextPairs pairs;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    auto words = ordinary_words(texts, text);
    if (words.size() < 2) continue;
    add_words(subject, texts, text, words, pairs.one);
    const auto gone = std::max<long>(1, std::lround(kThinned * static_cast<double>(words.size())));
    stream.shuffle(std::span(words));
    words.resize(words.size() - static_cast<size_t>(gone));
    std::ranges::sort(words);
    add_words(subject, texts, text, words, pairs.other);
  }
  return pairs;
}

Readouts readouts(const engine::Engine& engine, const Texts& texts, size_t draws, RandomStream& stream) {
  const Table states = last_states(engine, texts.batch);
  const auto count = static_cast<Index>(texts.batch.texts());
  Readouts out{
      .first = Table(count, states.cols()), .mean = Table::Zero(count, states.cols()), .pooled = {}, .words = {}};
  out.words.assign(draws, Table(count, states.cols()));
  for (Index text = 0; text < count; ++text) {
    const auto begin = static_cast<Index>(texts.batch.offsets[static_cast<size_t>(text)]);
    const auto words = ordinary_words(texts, static_cast<size_t>(text));
    out.first.row(text) = states.row(begin);
    for (const Index word : words) out.mean.row(text) += states.row(begin + word) / static_cast<double>(words.size());
    for (Table& drawn : out.words) drawn.row(text) = states.row(begin + words[stream.below(words.size())]);
  }
  if (engine.has_pooler()) {
    const auto pooled = engine::pooled_output(engine, texts.batch);
    out.pooled = table_of(pooled.view());
  }
  return out;
}

}  // namespace summand::lab
