#include "train/finetune/judging/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "train/finetune/judging/shown_rows.hpp"
#include "train/finetune/labelled/queries.hpp"
#include "train/run/most_common.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

double sigmoid(double logit) {
  return 1 / (1 + std::exp(-logit));
}

/// The most likely label, and its probability.
struct Choice {
  int32_t label = 0;
  double probability = 0;
};

Choice choice_of(std::span<const float> logits) {
  const auto most = std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - *most);
  return {.label = static_cast<int32_t>(most - logits.begin()), .probability = 1 / sum};
}

std::string shown_text(const Text& text) {
  std::string shown = text.text;
  if (text.words) {
    shown.clear();
    for (const std::string& word : *text.words) shown += (shown.empty() ? "" : " ") + word;
  }
  if (text.text_pair) shown += " | " + *text.text_pair;
  return printable(shown, kMostText);
}

/// A sentence with one of its words in brackets.
std::string shown_word(std::span<const std::string> words, size_t marked) {
  std::string shown;
  for (size_t word = 0; word < words.size(); ++word) {
    shown += fmt::format("{}{}", word == 0 ? "" : " ", word == marked ? "[" + words[word] + "]" : words[word]);
  }
  return printable(shown, kMostText);
}

OrderedJson prediction(const LabelledText& row) {
  return {{"where", row.where}};
}

constexpr size_t kMostConfused = 200;  // labels of a confusion that is kept

/// How often each label is true. [labels]
std::vector<uint64_t> counts_of_truth(std::span<const LabelPair> pairs, size_t labels) {
  std::vector<uint64_t> counts(labels);
  for (const LabelPair& pair : pairs) {
    for (const int32_t label : pair.truth) ++counts[static_cast<size_t>(label)];
  }
  return counts;
}

Confusion counted(std::span<const LabelPair> pairs, std::span<const std::string> names) {
  const std::vector<size_t> common = most_common(counts_of_truth(pairs, names.size()), kMostConfused);
  Confusion confusion{.labels = {}, .of_labels = names.size(), .counts = {common.size(), common.size()}};
  std::vector<size_t> place(names.size(), common.size());  // of labels that are left out: the end
  for (size_t i = 0; i < common.size(); ++i) {
    confusion.labels.push_back(names[common[i]]);
    place[common[i]] = i;
  }
  for (const LabelPair& pair : pairs) {
    for (size_t i = 0; i < pair.truth.size(); ++i) {
      const size_t truth = place[static_cast<size_t>(pair.truth[i])];
      const size_t predicted = place[static_cast<size_t>(pair.predicted[i])];
      if (std::max(truth, predicted) < common.size()) ++confusion.counts(truth, predicted);
    }
  }
  return confusion;
}

/// What all classifiers of rows or words have.
void score_pairs(Evaluation& evaluation, std::span<const LabelPair> pairs, std::span<const std::string> names,
                 const Resampling& resampling) {
  evaluation.scores = label_scores(pairs, names, resampling);
  evaluation.confusion = counted(pairs, names);
  keep_worst(evaluation.mistakes);
}

std::vector<std::string> names_in(std::span<const uint8_t> holds, std::span<const std::string> names) {
  std::vector<std::string> result;
  for (size_t label = 0; label < holds.size(); ++label) {
    if (holds[label] != 0) result.push_back(names[label]);
  }
  return result;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "none" : all;
}

/// One row's words. @return its labels, of words with a piece
class WordJudge {
 public:
  WordJudge(const LabelledText& text, const EncodedRow& row, std::span<const float> logits,
            std::span<const std::string> names)
      : text_(text), row_(row), logits_(logits), names_(names) {}

  LabelPair judge(Evaluation& evaluation) {
    const std::vector<std::string>& words = text_.text.words.value();
    std::vector<OrderedJson> labels(words.size()), probabilities(words.size());  // null: no piece
    LabelPair pair;
    size_t seen = 0;
    for (size_t token = 0; token < row_.words.size(); ++token) {
      if (row_.words[token] < 0) continue;
      const auto word = static_cast<size_t>(row_.words[token]);
      const Choice choice = choice_of(logits_.subspan(seen++ * names_.size(), names_.size()));
      labels[word] = name(choice.label);
      probabilities[word] = rounded(choice.probability);
      if (row_.labels.empty()) continue;
      pair.truth.push_back(row_.labels[token]);
      pair.predicted.push_back(choice.label);
      if (choice.label == row_.labels[token]) continue;
      evaluation.mistakes.push_back({.where = text_.where,
                                     .text = shown_word(words, word),
                                     .truth = name(row_.labels[token]),
                                     .predicted = name(choice.label),
                                     .severity = choice.probability});
    }
    OrderedJson json = prediction(text_);
    json["labels"] = labels;
    json["probabilities"] = probabilities;
    evaluation.predictions.push_back(prediction_line(json));
    return pair;
  }

 private:
  [[nodiscard]] const std::string& name(int32_t label) const { return names_[static_cast<size_t>(label)]; }

  const LabelledText& text_;
  const EncodedRow& row_;
  std::span<const float> logits_;
  std::span<const std::string> names_;
};

}  // namespace

Evaluation judge_one_label(const LabelledRows& rows, const RowLogits& logits, std::span<const std::string> names,
                           Truth truth, const Resampling& resampling) {
  Evaluation evaluation{.rows = rows.size()};
  std::vector<LabelPair> pairs;
  const auto name = [&](int32_t label) { return names[static_cast<size_t>(label)]; };
  for (size_t row = 0; row < rows.size(); ++row) {
    const Choice choice = choice_of(logits[row]);
    OrderedJson json = prediction(rows.texts[row]);
    json["label"] = name(choice.label);
    json["probability"] = rounded(choice.probability);
    if (truth == Truth::known) {
      const int32_t right = rows.encoded.rows[row].labels.front();
      json["truth"] = name(right);
      pairs.push_back({.truth = {right}, .predicted = {choice.label}});
      if (right != choice.label) {
        evaluation.mistakes.push_back({.where = rows.texts[row].where,
                                       .text = shown_text(rows.texts[row].text),
                                       .truth = name(right),
                                       .predicted = name(choice.label),
                                       .severity = choice.probability});
      }
    }
    evaluation.predictions.push_back(prediction_line(json));
  }
  if (truth == Truth::known) score_pairs(evaluation, pairs, names, resampling);
  return evaluation;
}

Evaluation judge_several_labels(const LabelledRows& rows, const RowLogits& logits, std::span<const std::string> names,
                                Truth truth, const Resampling& resampling) {
  Evaluation evaluation{.rows = rows.size()};
  Matrix<uint8_t> right(rows.size(), names.size()), found(rows.size(), names.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    const LabelledText& text = rows.texts[row];
    OrderedJson json = prediction(text);
    json["labels"] = OrderedJson::array();
    json["probabilities"] = OrderedJson::object();
    double doubt = 0;
    for (const int32_t label : rows.encoded.rows[row].labels) right(row, static_cast<size_t>(label)) = 1;
    for (size_t label = 0; label < names.size(); ++label) {
      const double probability = sigmoid(logits[row][label]);
      found(row, label) = logits[row][label] > 0 ? 1 : 0;
      if (found(row, label) != 0) json["labels"].push_back(names[label]);
      json["probabilities"][names[label]] = rounded(probability);
      doubt = std::max(doubt, std::abs(probability - right(row, label)));
    }
    if (truth == Truth::known) {
      const auto truths = names_in(right.row(row), names);
      json["truth"] = truths;
      if (!std::ranges::equal(right.row(row), found.row(row))) {
        evaluation.mistakes.push_back({.where = text.where,
                                       .text = shown_text(text.text),
                                       .truth = joined(truths),
                                       .predicted = joined(names_in(found.row(row), names)),
                                       .severity = doubt});
      }
    }
    evaluation.predictions.push_back(prediction_line(json));
  }
  if (truth == Truth::unknown) return evaluation;
  evaluation.scores = several_label_scores(right, found, resampling);
  keep_worst(evaluation.mistakes);
  return evaluation;
}

Evaluation judge_words(const LabelledRows& rows, const RowLogits& logits, std::span<const std::string> names,
                       Truth truth, const Resampling& resampling) {
  Evaluation evaluation{.rows = rows.size()};
  std::vector<LabelPair> pairs;
  for (size_t row = 0; row < rows.size(); ++row) {
    pairs.push_back(WordJudge(rows.texts[row], rows.encoded.rows[row], logits[row], names).judge(evaluation));
  }
  if (truth == Truth::known) score_pairs(evaluation, pairs, names, resampling);
  return evaluation;
}

Evaluation judge_numbers(const LabelledRows& rows, const RowLogits& logits, Truth truth, const Resampling& resampling) {
  Evaluation evaluation{.rows = rows.size()};
  std::vector<double> right, found;
  for (size_t row = 0; row < rows.size(); ++row) {
    const double value = logits[row].front();
    OrderedJson json = prediction(rows.texts[row]);
    json["number"] = rounded(value);
    if (truth == Truth::known) {
      const double number = rows.encoded.rows[row].number;
      json["truth"] = number;
      right.push_back(number);
      found.push_back(value);
      evaluation.mistakes.push_back({.where = rows.texts[row].where,
                                     .text = shown_text(rows.texts[row].text),
                                     .truth = fmt::format("{:.4g}", number),
                                     .predicted = fmt::format("{:.4g}", value),
                                     .severity = std::abs(number - value)});
    }
    evaluation.predictions.push_back(prediction_line(json));
  }
  if (truth == Truth::known) evaluation.scores = number_scores(right, found, resampling);
  keep_worst(evaluation.mistakes);
  return evaluation;
}

Evaluation judge_ranking(const LabelledRows& rows, const RowLogits& logits, Truth truth, const Resampling& resampling) {
  Evaluation evaluation{.rows = rows.size()};
  std::vector<uint8_t> relevant;
  std::vector<double> scores;
  for (size_t row = 0; row < rows.size(); ++row) {
    const double score = sigmoid(logits[row].front());
    OrderedJson json = prediction(rows.texts[row]);
    json["score"] = rounded(score);
    if (truth == Truth::known) {
      const double number = rows.encoded.rows[row].number;
      json["truth"] = number;
      relevant.push_back(number > 0.5 ? 1 : 0);
      scores.push_back(logits[row].front());
      evaluation.mistakes.push_back({.where = rows.texts[row].where,
                                     .text = shown_text(rows.texts[row].text),
                                     .truth = fmt::format("{:.4g}", number),
                                     .predicted = fmt::format("{:.4f}", score),
                                     .severity = std::abs(number - score)});
    }
    evaluation.predictions.push_back(prediction_line(json));
  }
  if (truth == Truth::known) {
    evaluation.scores = ranking_scores(queries_of(rows.texts).of_rows, relevant, scores, resampling);
  }
  keep_worst(evaluation.mistakes);
  return evaluation;
}

}  // namespace summand::train
