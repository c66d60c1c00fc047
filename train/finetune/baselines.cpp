#include "train/finetune/baselines.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "train/finetune/bag_of_words.hpp"

namespace summand::train {

namespace {

constexpr const char* kMostCommon = "most common label";
constexpr const char* kBag = "bag of words";

using Tokens = std::vector<std::vector<int32_t>>;

/// Tokens of each row, those of a second text told apart.
Tokens tokens_of(const LabelledRows& rows) {
  Tokens tokens;
  for (const EncodedRow& row : rows.encoded.rows) {
    auto& own = tokens.emplace_back();
    for (size_t i = 0; i < row.ids.size(); ++i) own.push_back(2 * row.ids[i] + std::min(row.segments[i], 1));
  }
  return tokens;
}

std::vector<double> numbers_of(const LabelledRows& rows) {
  std::vector<double> numbers;
  for (const EncodedRow& row : rows.encoded.rows) numbers.push_back(row.number);
  return numbers;
}

size_t most_common(std::span<const size_t> counts) {
  return static_cast<size_t>(std::ranges::max_element(counts) - counts.begin());
}

/// The baselines of one kind of label, with the rows to judge.
class Baselines {
 public:
  Baselines(const LabelledRows& train, const LabelledRows& rows, std::span<const std::string> names,
            const Resampling& resampling)
      : train_(train), rows_(rows), names_(names), resampling_(resampling) {}

  [[nodiscard]] std::vector<Baseline> one_label() const {
    std::vector<int32_t> labels;
    std::vector<size_t> counts(names_.size());
    for (const EncodedRow& row : train_.encoded.rows) {
      labels.push_back(row.labels.front());
      ++counts[static_cast<size_t>(row.labels.front())];
    }
    const std::vector<int32_t> common(rows_.size(), static_cast<int32_t>(most_common(counts)));
    const BagOfWords bag(tokens_of(train_), labels, names_.size());
    return {{kMostCommon, of_labels(common)}, {kBag, of_labels(bag.predict(tokens_of(rows_)))}};
  }

  [[nodiscard]] std::vector<Baseline> several_labels() const {
    Matrix<uint8_t> truth(rows_.size(), names_.size()), common(rows_.size(), names_.size());
    Matrix<uint8_t> by_bag(rows_.size(), names_.size());
    for (size_t row = 0; row < rows_.size(); ++row) {
      for (const int32_t label : rows_.encoded.rows[row].labels) truth(row, static_cast<size_t>(label)) = 1;
    }
    const Tokens train = tokens_of(train_), judged = tokens_of(rows_);
    for (size_t label = 0; label < names_.size(); ++label) {
      std::vector<int32_t> holds;
      for (const EncodedRow& row : train_.encoded.rows) {
        holds.push_back(static_cast<int32_t>(std::ranges::count(row.labels, static_cast<int32_t>(label)) > 0));
      }
      const auto held = static_cast<size_t>(std::ranges::count(holds, 1));
      const auto found = BagOfWords(train, holds, 2).predict(judged);
      for (size_t row = 0; row < rows_.size(); ++row) {
        common(row, label) = 2 * held > holds.size() ? 1 : 0;
        by_bag(row, label) = static_cast<uint8_t>(found[row]);
      }
    }
    return {{"labels of more than half of the rows", several_label_scores(truth, common, resampling_)},
            {kBag, several_label_scores(truth, by_bag, resampling_)}};
  }

  [[nodiscard]] std::vector<Baseline> words() const {
    std::vector<size_t> counts(names_.size());
    std::map<std::string_view, std::vector<size_t>> by_word;
    for_each_word(train_, [&](std::string_view word, int32_t label) {
      ++counts[static_cast<size_t>(label)];
      auto& own = by_word[word];
      own.resize(names_.size());
      ++own[static_cast<size_t>(label)];
    });
    const auto common = static_cast<int32_t>(most_common(counts));
    const auto of_word = [&](std::string_view word) {
      const auto found = by_word.find(word);
      return found == by_word.end() ? common : static_cast<int32_t>(most_common(found->second));
    };
    return {{kMostCommon, of_words([&](std::string_view) { return common; })},
            {"most common label of each word", of_words(of_word)}};
  }

  [[nodiscard]] std::vector<Baseline> numbers() const {
    const std::vector<double> learned = numbers_of(train_), truth = numbers_of(rows_);
    const double sum = std::accumulate(learned.begin(), learned.end(), 0.0);
    const std::vector<double> mean(rows_.size(), sum / static_cast<double>(train_.size()));
    const Matrix<double> by_bag = BagOfWords(tokens_of(train_), learned).outputs(tokens_of(rows_));
    return {{"mean of the training rows", number_scores(truth, mean, resampling_)},
            {kBag, number_scores(truth, by_bag.elements(), resampling_)}};
  }

  [[nodiscard]] std::vector<Baseline> ranking() const {
    std::vector<uint8_t> relevant;
    for (const EncodedRow& row : rows_.encoded.rows) relevant.push_back(row.number > 0.5 ? 1 : 0);
    std::vector<int32_t> labels;
    for (const EncodedRow& row : train_.encoded.rows) labels.push_back(row.number > 0.5 ? 1 : 0);
    const Matrix<double> logits = BagOfWords(tokens_of(train_), labels, 2).outputs(tokens_of(rows_));
    std::vector<double> scores;
    for (size_t row = 0; row < rows_.size(); ++row) scores.push_back(logits(row, 1) - logits(row, 0));
    const auto queries = queries_of(rows_.texts);
    const std::vector<double> same(rows_.size());
    return {{"the same score for all", ranking_scores(queries, relevant, same, resampling_)},
            {kBag, ranking_scores(queries, relevant, scores, resampling_)}};
  }

 private:
  [[nodiscard]] std::vector<Score> of_labels(const std::vector<int32_t>& predicted) const {
    std::vector<LabelPair> pairs;
    for (size_t row = 0; row < rows_.size(); ++row) {
      pairs.push_back({.truth = {rows_.encoded.rows[row].labels.front()}, .predicted = {predicted[row]}});
    }
    return label_scores(pairs, names_, resampling_);
  }

  /// @param visit  (word, label), of words with a piece
  template <class Visit>
  static void for_each_word(const LabelledRows& rows, const Visit& visit) {
    for (size_t row = 0; row < rows.size(); ++row) {
      const EncodedRow& encoded = rows.encoded.rows[row];
      for (size_t token = 0; token < encoded.words.size(); ++token) {
        if (encoded.words[token] < 0) continue;
        visit(rows.texts[row].text.words.value()[static_cast<size_t>(encoded.words[token])], encoded.labels[token]);
      }
    }
  }

  template <class Predict>
  [[nodiscard]] std::vector<Score> of_words(const Predict& predict) const {
    std::vector<LabelPair> pairs;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const EncodedRow& encoded = rows_.encoded.rows[row];
      LabelPair& pair = pairs.emplace_back();
      for (size_t token = 0; token < encoded.words.size(); ++token) {
        if (encoded.words[token] < 0) continue;
        const auto word = static_cast<size_t>(encoded.words[token]);
        pair.truth.push_back(encoded.labels[token]);
        pair.predicted.push_back(predict(rows_.texts[row].text.words.value()[word]));
      }
    }
    return label_scores(pairs, names_, resampling_);
  }

  const LabelledRows& train_;
  const LabelledRows& rows_;
  std::span<const std::string> names_;
  const Resampling& resampling_;
};

}  // namespace

std::vector<Baseline> baselines(const FinetuneOptions& options, const LabelledRows& train, const LabelledRows& rows,
                                std::span<const std::string> names) {
  const Resampling resampling{.seed = options.seed};
  const Baselines of(train, rows, names, resampling);
  switch (options.task) {
    case FinetuneTask::classify:
    case FinetuneTask::pair:
      return options.multi_label ? of.several_labels() : of.one_label();
    case FinetuneTask::tag:
      return of.words();
    case FinetuneTask::regress:
      return of.numbers();
    case FinetuneTask::rank:
      return of.ranking();
    case FinetuneTask::embed:
      break;
  }
  return {};
}

}  // namespace summand::train
