#include "lab/experiments/identical_words/position_attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "lab/experiments/identical_words/attention_metrics.hpp"
#include "lab/probing/attention.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr size_t kGroups = 10;

/// One text of every word.
model::Batch repeated_words(const Subject& subject, const Repetition& repetition) {
  const auto& tokenizer = subject.model->tokenizer();
  model::Batch batch;
  for (const int32_t word : repetition.words) {
    std::vector<int32_t> ids(repetition.length, word);
    int32_t first_position = 1;
    if (repetition.around == Around::special) {
      ids.insert(ids.begin(), tokenizer.cls_id().value_or(word));
      ids.push_back(tokenizer.sep_id().value_or(word));
      first_position = 0;
    }
    batch.add(ids, std::vector<int32_t>(ids.size(), 0), first_position);
  }
  return batch;
}

/// Whether its own text, as a text, is this token and nothing else: a piece of a word is not, and a special token has
/// no text.
bool is_whole_word(const text::Tokenizer& tokenizer, int32_t id) {
  const std::string written = tokenizer.decode(std::array{id}, SpecialTokens::omit);
  if (written.empty()) return false;
  try {
    const auto ids = tokenizer.encode(written, {.special_tokens = SpecialTokens::omit}).ids;
    return ids.size() == 1 && ids.front() == id;
  } catch (const TextError&) {  // no token stands for what the vocabulary lacks
    return false;
  }
}

PositionAttention of_logits(std::vector<Table> logits) {
  PositionAttention positions;
  for (Table& one : logits) {
    positions.attention.push_back(softmax_rows(one));
    positions.logits.push_back(std::move(one));
  }
  positions.groups = {positions.mean_attention()};
  return positions;
}

}  // namespace

Table PositionAttention::mean_attention() const {
  Table sum = attention.front();
  for (size_t head = 1; head < attention.size(); ++head) sum += attention[head];
  return sum / static_cast<double>(attention.size());
}

std::vector<int32_t> words_to_repeat(const Subject& subject, size_t most, RandomStream& stream) {
  const auto& tokenizer = subject.model->tokenizer();
  const auto rows = std::min(tokenizer.vocabulary_size(), static_cast<size_t>(subject.model->config().vocab_size));
  std::vector<int32_t> words;
  for (int32_t id = 0; id < static_cast<int32_t>(rows); ++id) {
    if (is_whole_word(tokenizer, id)) words.push_back(id);
  }
  stream.shuffle(std::span(words));
  words.resize(std::min(words.size(), most));
  return words;
}

PositionAttention position_attention(ChangedModel model, const Subject& subject, const Repetition& repetition) {
  model.config.num_hidden_layers = 1;
  const auto heads = static_cast<size_t>(model.config.num_attention_heads);
  const auto length = static_cast<Index>(repetition.length);
  const Index first = repetition.around == Around::special ? 1 : 0;
  const size_t groups = std::min(kGroups, repetition.words.size());
  PositionAttention positions;
  positions.attention.assign(heads, Table::Zero(length, length));
  positions.logits = positions.attention;
  positions.groups.assign(groups, Table::Zero(length, length));
  std::vector<double> in_group(groups);
  const auto words = static_cast<double>(repetition.words.size());
  watch_attention(model.engine(1), repeated_words(subject, repetition), {}, [&](const TextAttention& text) {
    const size_t group = text.text % groups;
    in_group[group] += static_cast<double>(heads);
    for (size_t head = 0; head < heads; ++head) {
      const Table logits = text.scores.front()[head].block(first, first, length, length);
      const Table weights = softmax_rows(logits);
      positions.attention[head] += weights / words;
      positions.logits[head] += logits / words;
      positions.groups[group] += weights;
    }
  });
  for (size_t group = 0; group < groups; ++group) positions.groups[group] /= in_group[group];
  return positions;
}

PositionAttention falling_attention(size_t heads, Index length) {
  std::vector<Table> logits;
  for (size_t head = 1; head <= heads; ++head) {
    logits.push_back(falling_logits(length, std::exp2(-8.0 * static_cast<double>(head) / static_cast<double>(heads))));
  }
  return of_logits(std::move(logits));
}

PositionAttention noisy_attention(size_t heads, Index length, double size, RandomStream& stream) {
  std::vector<Table> logits;
  const auto rows = static_cast<size_t>(length);
  for (size_t head = 0; head < heads; ++head) logits.push_back(size * white_noise({rows, rows}, stream));
  return of_logits(std::move(logits));
}

BareNumbers bare_numbers_of(const PositionAttention& positions, const std::string& prefix, const LocalizedText& of) {
  using namespace identical_words;
  const Table middle = positions.mean_attention();
  const auto median_of = [](const std::vector<Table>& heads, const auto& metric) {
    std::vector<double> values;
    for (const Table& head : heads) values.push_back(metric(head));
    return median(values);
  };
  const auto monotonicity = [](const Table& one) { return local_monotonicity(one, kLocalWindow); };
  BareNumbers bare;
  const LocalizedText behind = of.en.empty() ? LocalizedText{} : LocalizedText{": " + of.en, "：" + of.zh};
  const auto add = [&](const NumberName& metric, double value) {
    bare.push_back({prefix + metric.name, metric.label({{"of", behind}}), value});
  };
  add(kToeplitz, distance_share(middle));
  add(kSymmetry, symmetry_share(middle));
  add(kMonotonicity, monotonicity(middle));
  add(kDirection, direction_bias(middle));
  add(kPublishedLocality, published_locality(middle));
  add(kPublishedSymmetry, published_symmetry(middle));
  add(kHeadToeplitz, median_of(positions.attention, distance_share));
  add(kHeadSymmetry, median_of(positions.attention, symmetry_share));
  add(kHeadMonotonicity, median_of(positions.attention, monotonicity));
  add(kLogitToeplitz, median_of(positions.logits, logit_distance_share));
  add(kLogitSymmetry, median_of(positions.logits, logit_symmetry_share));
  add(kLogitMonotonicity, median_of(positions.logits, monotonicity));
  return bare;
}

}  // namespace summand::lab
