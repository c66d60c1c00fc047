#include "train/finetune/judging/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "train/finetune/judging/bag_of_words.hpp"
#include "train/finetune/labelled/queries.hpp"

namespace summand::train {

namespace {

constexpr const char* kMostCommon = "most common label";
constexpr const char* kBag = "bag of words";
constexpr size_t kMostWeights = 4'000'000;     // of a bag of words fitted at once: 0.6 GB
constexpr size_t kMostProducts = 200'000'000;  // of each of its steps, at most 500 of a second or less

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

size_t place_of_largest(std::span<const size_t> counts) {
  return static_cast<size_t>(std::ranges::max_element(counts) - counts.begin());
}

/// Of labels [rows], one each.
std::vector<Score> scores_of(const LabelledRows& rows, const std::vector<int32_t>& predicted,
                             std::span<const std::string> names, const Resampling& resampling) {
  std::vector<LabelPair> pairs;
  for (size_t row = 0; row < rows.size(); ++row) {
    pairs.push_back({.truth = {rows.encoded.rows[row].labels.front()}, .predicted = {predicted[row]}});
  }
  return label_scores(pairs, names, resampling);
}

/// @param visit  (row, word, label), of words with a piece
template <class Visit>
void for_each_word(const LabelledRows& rows, const Visit& visit) {
  for (size_t row = 0; row < rows.size(); ++row) {
    const EncodedRow& encoded = rows.encoded.rows[row];
    for (size_t token = 0; token < encoded.words.size(); ++token) {
      if (encoded.words[token] < 0) continue;
      visit(row, rows.texts[row].text.words.value()[static_cast<size_t>(encoded.words[token])], encoded.labels[token]);
    }
  }
}

/// Labels of words, by the word.
using WordLabels = std::function<int32_t(std::string_view)>;

std::vector<Score> scores_of_words(const LabelledRows& rows, const WordLabels& predict,
                                   std::span<const std::string> names, const Resampling& resampling) {
  std::vector<LabelPair> pairs(rows.size());
  for_each_word(rows, [&](size_t row, std::string_view word, int32_t label) {
    pairs[row].truth.push_back(label);
    pairs[row].predicted.push_back(predict(word));
  });
  return label_scores(pairs, names, resampling);
}

/// Learns the baselines of one kind of label.
class Fitting {
 public:
  Fitting(const LabelledRows& train, std::span<const std::string> names, const Resampling& resampling)
      : train_(train), names_(names.begin(), names.end()), resampling_(resampling) {}

  FittedBaselines one_label() {
    std::vector<int32_t> labels;
    std::vector<size_t> counts(names_.size());
    for (const EncodedRow& row : train_.encoded.rows) {
      labels.push_back(row.labels.front());
      ++counts[static_cast<size_t>(row.labels.front())];
    }
    const auto common = static_cast<int32_t>(place_of_largest(counts));
    add(kMostCommon, [=, names = names_, drawn = resampling_](const LabelledRows& rows) {
      return scores_of(rows, std::vector<int32_t>(rows.size(), common), names, drawn);
    });
    const Tokens tokens = tokens_of(train_);
    if (!is_small_enough(tokens, names_.size(), names_.size())) return std::move(fitted_);
    add(kBag, [bag = BagOfWords(tokens, labels, names_.size()), names = names_, drawn = resampling_](
                  const LabelledRows& rows) { return scores_of(rows, bag.predict(tokens_of(rows)), names, drawn); });
    return std::move(fitted_);
  }

  FittedBaselines several_labels() {
    const size_t labels = names_.size();
    std::vector<uint8_t> common;
    std::vector<std::vector<int32_t>> holds(labels);
    for (size_t label = 0; label < labels; ++label) {
      for (const EncodedRow& row : train_.encoded.rows) {
        holds[label].push_back(std::ranges::count(row.labels, static_cast<int32_t>(label)) > 0 ? 1 : 0);
      }
      common.push_back(2 * static_cast<size_t>(std::ranges::count(holds[label], 1)) > train_.size() ? 1 : 0);
    }
    add("labels of more than half of the rows", [=, drawn = resampling_](const LabelledRows& rows) {
      Matrix<uint8_t> predicted(rows.size(), labels);
      for (size_t row = 0; row < rows.size(); ++row) std::ranges::copy(common, predicted.row(row).begin());
      return several_label_scores(truth_of(rows, labels), predicted, drawn);
    });
    const Tokens tokens = tokens_of(train_);
    if (!is_small_enough(tokens, 2, 2 * labels)) return std::move(fitted_);
    std::vector<BagOfWords> bags;
    for (const std::vector<int32_t>& held : holds) bags.emplace_back(tokens, held, 2);
    add(kBag, [bags = std::move(bags), drawn = resampling_](const LabelledRows& rows) {
      Matrix<uint8_t> predicted(rows.size(), bags.size());
      const Tokens judged = tokens_of(rows);
      for (size_t label = 0; label < bags.size(); ++label) {
        const std::vector<int32_t> found = bags[label].predict(judged);
        for (size_t row = 0; row < rows.size(); ++row) predicted(row, label) = static_cast<uint8_t>(found[row]);
      }
      return several_label_scores(truth_of(rows, bags.size()), predicted, drawn);
    });
    return std::move(fitted_);
  }

  FittedBaselines words() {
    std::vector<size_t> counts(names_.size());
    std::map<std::string, std::vector<size_t>, std::less<>> by_word;
    for_each_word(train_, [&](size_t, std::string_view word, int32_t label) {
      ++counts[static_cast<size_t>(label)];
      auto& own = by_word.try_emplace(std::string(word), names_.size()).first->second;
      ++own[static_cast<size_t>(label)];
    });
    const auto common = static_cast<int32_t>(place_of_largest(counts));
    std::map<std::string, int32_t, std::less<>> labels;
    for (const auto& [word, own] : by_word) labels.emplace(word, static_cast<int32_t>(place_of_largest(own)));
    add(kMostCommon, [=, names = names_, drawn = resampling_](const LabelledRows& rows) {
      return scores_of_words(
          rows, [=](std::string_view) { return common; }, names, drawn);
    });
    add("most common label of each word", [=, names = names_, drawn = resampling_](const LabelledRows& rows) {
      const auto of_word = [&](std::string_view word) {
        const auto found = labels.find(word);
        return found == labels.end() ? common : found->second;
      };
      return scores_of_words(rows, of_word, names, drawn);
    });
    return std::move(fitted_);
  }

  FittedBaselines numbers() {
    const std::vector<double> learned = numbers_of(train_);
    const double mean = std::accumulate(learned.begin(), learned.end(), 0.0) / static_cast<double>(train_.size());
    add("mean of the training rows", [=, drawn = resampling_](const LabelledRows& rows) {
      return number_scores(numbers_of(rows), std::vector<double>(rows.size(), mean), drawn);
    });
    const Tokens tokens = tokens_of(train_);
    if (!is_small_enough(tokens, 1, 1)) return std::move(fitted_);
    add(kBag, [bag = BagOfWords(tokens, learned), drawn = resampling_](const LabelledRows& rows) {
      const Matrix<double> found = bag.outputs(tokens_of(rows));
      return number_scores(numbers_of(rows), found.elements(), drawn);
    });
    return std::move(fitted_);
  }

  FittedBaselines ranking() {
    add("the same score for all", [drawn = resampling_](const LabelledRows& rows) {
      return ranking_scores(queries_of(rows.texts).of_rows, relevant(rows), std::vector<double>(rows.size()), drawn);
    });
    const Tokens tokens = tokens_of(train_);
    if (!is_small_enough(tokens, 2, 2)) return std::move(fitted_);
    const std::vector<uint8_t> labels = relevant(train_);
    add(kBag, [bag = BagOfWords(tokens, std::vector<int32_t>(labels.begin(), labels.end()), 2),
               drawn = resampling_](const LabelledRows& rows) {
      const Matrix<double> logits = bag.outputs(tokens_of(rows));
      std::vector<double> scores;
      for (size_t row = 0; row < rows.size(); ++row) scores.push_back(logits(row, 1) - logits(row, 0));
      return ranking_scores(queries_of(rows.texts).of_rows, relevant(rows), scores, drawn);
    });
    return std::move(fitted_);
  }

 private:
  void add(const char* name, std::function<std::vector<Score>(const LabelledRows&)> scores) {
    fitted_.all.push_back({.name = name, .scores = std::move(scores)});
  }

  /// Whether a bag of words is fitted in memory and time that a baseline is worth; if not, that is noted.
  /// @param at_once  outputs that are fitted together
  /// @param outputs  all of them
  bool is_small_enough(const Tokens& tokens, size_t at_once, size_t outputs) {
    size_t read = 0;
    for (const auto& text : tokens) read += text.size();
    const size_t different = different_ids(tokens).size();
    if (different * at_once <= kMostWeights && read * outputs <= kMostProducts) return true;
    fitted_.left_out = fmt::format("the baseline '{}' is left out: {} labels of {} tokens, {} different, take too long",
                                   kBag, std::max<size_t>(1, names_.size()), read, different);
    return false;
  }

  static Matrix<uint8_t> truth_of(const LabelledRows& rows, size_t labels) {
    Matrix<uint8_t> truth(rows.size(), labels);
    for (size_t row = 0; row < rows.size(); ++row) {
      for (const int32_t label : rows.encoded.rows[row].labels) truth(row, static_cast<size_t>(label)) = 1;
    }
    return truth;
  }

  static std::vector<uint8_t> relevant(const LabelledRows& rows) {
    std::vector<uint8_t> result;
    for (const EncodedRow& row : rows.encoded.rows) result.push_back(row.number > 0.5 ? 1 : 0);
    return result;
  }

  const LabelledRows& train_;
  std::vector<std::string> names_;
  Resampling resampling_;
  FittedBaselines fitted_;
};

}  // namespace

FittedBaselines fit_baselines(const FinetuneOptions& options, const LabelledRows& train,
                              std::span<const std::string> names) {
  Fitting fitting(train, names, {.seed = options.seed});
  switch (options.task) {
    case FinetuneTask::classify:
    case FinetuneTask::pair:
      return options.multi_label ? fitting.several_labels() : fitting.one_label();
    case FinetuneTask::tag:
      return fitting.words();
    case FinetuneTask::regress:
      return fitting.numbers();
    case FinetuneTask::rank:
      return fitting.ranking();
    case FinetuneTask::embed:
      break;
  }
  return {};
}

}  // namespace summand::train
