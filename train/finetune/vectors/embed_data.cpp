#include "train/finetune/vectors/embed_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "inputs/input_file.hpp"
#include "text/unknown_words.hpp"
#include "train/finetune/finetune.hpp"
#include "train/finetune/labelled/constant_labels.hpp"
#include "train/finetune/labelled/labels.hpp"
#include "train/finetune/labelled/split.hpp"
#include "train/finetune/row_counts.hpp"
#include "train/finetune/vectors/hard_negatives.hpp"
#include "train/finetune/vectors/ranking_rows.hpp"

namespace summand::train {

namespace {

constexpr const char* kLabelColumn = "label";  // where none is named

text::InputRules rules_for(const FinetuneRequest& request, bool labelled) {
  text::InputRules rules{.fields = request.fields};
  if (!labelled) rules.fields.label.reset();
  if (labelled && !rules.fields.label) rules.fields.label = kLabelColumn;
  rules.advice.text_field = "; --text-column names another";
  rules.advice.label_field = "; --label-column names another";
  return rules;
}

/// The first row of the training file with its label; nothing if it has none, or is no row: reading it says why.
std::optional<LabelledText> first_labelled(const FinetuneRequest& request) {
  inputs::InputFile input(request.train, rules_for(request, true));
  try {
    auto record = input.next();
    if (!record || record->label.empty()) return std::nullopt;
    std::string label = std::move(record->label);
    return LabelledText{.text = std::move(*record), .label = std::move(label), .where = input.where()};
  } catch (const TextError&) {
    return std::nullopt;
  }
}

bool is_number(const LabelledText& row) {
  try {
    return std::isfinite(number_of(row));
  } catch (const TextError&) {
    return false;
  }
}

void check_files(const FinetuneRequest& request, SentenceLoss loss) {
  if (request.negative && loss != SentenceLoss::ranking) {
    throw UsageError("--negative-column", fmt::format("expected --loss ranking with it, got {}", model::name_of(loss)));
  }
  const bool distils = loss == SentenceLoss::distillation;
  if (distils == request.teacher.empty()) {
    throw UsageError("--teacher",
                     distils ? fmt::format("expected a .npy of vectors for --loss distillation, got none")
                             : fmt::format("expected --loss distillation with it, got {}", model::name_of(loss)));
  }
  if (distils && request.valid.empty() != request.valid_teacher.empty()) {
    throw UsageError("--valid-teacher", fmt::format("expected it together with --valid, got {} alone",
                                                    request.valid.empty() ? "--valid-teacher" : "--valid"));
  }
  if (!distils && !request.valid_teacher.empty()) {
    throw UsageError("--valid-teacher", "expected it with --teacher, got it without");
  }
  if (distils && !request.test.empty()) {
    throw UsageError("--test", "expected none with --teacher: its rows have no vectors to be compared with");
  }
  if (!request.predict.empty()) {
    throw UsageError("--predict", "expected none with --task embed: 'summand embed --model RUN/best' makes vectors");
  }
}

/// Reads the files of a run, one after the other.
class DataReader {
 public:
  DataReader(const FinetuneRequest& request, const text::Tokenizer& tokenizer, SentenceReading reading)
      : request_(request), tokenizer_(tokenizer), reading_(std::move(reading)) {
    data_.loss = sentence_loss(request);
    check_files(request, data_.loss);
    reading_.texts_per_row = data_.loss == SentenceLoss::distillation ? 1 : has_negatives() ? 3 : 2;
  }

  EmbedData read() {
    data_.train = rows(request_.train, request_.teacher);
    add_hashes(data_.train, "train", "negatives", "teacher");
    if (request_.valid.empty()) {
      data_.hashes["valid"] = "";
      split();
    } else {
      data_.valid = held_out(request_.valid, request_.valid_teacher);
      add_hashes(data_.valid, "valid", "valid_negatives", "valid_teacher");
      check_teachers();
    }
    if (!request_.test.empty()) data_.test = held_out(request_.test, "");
    check_ranking();
    tell_constant_labels();
    const size_t test = data_.test ? data_.test->size() : 0;
    data_.notices.insert(data_.notices.begin(),
                         rows_told(request_.train, data_.train.size(), "", data_.valid.size(), test));
    return std::move(data_);
  }

 private:
  [[nodiscard]] bool has_labels() const { return data_.loss == SentenceLoss::cosine; }
  [[nodiscard]] bool has_negatives() const { return request_.negative.has_value(); }

  [[nodiscard]] std::vector<std::string> negatives(const std::string& path, std::span<const LabelledText> rows) const {
    text::InputRules rules = rules_for(request_, false);
    rules.fields.text = request_.negative;
    rules.advice.text_field = "; --negative-column names another";
    return read_hard_negatives(path, rules, rows);
  }

  EmbedRows rows(const std::string& path, const std::string& teacher) {
    const TextShape shape = reading_.texts_per_row > 1 ? TextShape::two : TextShape::one_or_two;
    LabelledFile file = read_labelled(path, rules_for(request_, has_labels()), shape);
    if (shape == TextShape::one_or_two) check_single(file.rows);
    std::ranges::move(file.notices, std::back_inserter(data_.notices));
    EmbedRows rows;
    rows.texts = std::move(file.rows);
    if (has_negatives()) rows.negatives = negatives(path, rows.texts);
    rows.examples.rows = encode_sentences(rows.texts, rows.negatives, tokenizer_, reading_);
    if (const auto line = text::unknown_words_line(rows.examples.rows.read)) {
      data_.notices.push_back(fmt::format("{}: {}", printable(path), *line));
    }
    if (rows.examples.rows.read.texts_cut > 0) {
      data_.notices.push_back(fmt::format("{}: {} of {} texts are cut to {} tokens", printable(path),
                                          rows.examples.rows.read.texts_cut, rows.examples.rows.texts.size(),
                                          reading_.cut.max_length.value()));
    }
    if (has_labels()) rows.examples.labels = cosines(rows.texts);
    if (!teacher.empty()) {
      rows.examples.teacher = std::make_shared<const TeacherVectors>(teacher, rows.size(), printable(path));
      for (size_t row = 0; row < rows.size(); ++row) rows.examples.teacher_rows.push_back(row);
    }
    return rows;
  }

  EmbedRows held_out(const std::string& path, const std::string& teacher) {
    EmbedRows held = rows(path, teacher);
    tell_common(held, printable(path));
    return held;
  }

  void tell_common(const EmbedRows& held, const std::string& name) {
    if (std::string both = rows_in_both(data_.train.texts, held.texts, name); !both.empty()) {
      data_.notices.push_back(std::move(both));
    }
  }

  void add_hashes(const EmbedRows& rows, const char* texts, const char* negatives, const char* teacher) {
    data_.hashes[texts] = hash_of_rows(rows.texts);
    if (!rows.negatives.empty()) data_.hashes[negatives] = hash_of_texts(rows.negatives);
    if (rows.examples.teacher) data_.hashes[teacher] = rows.examples.teacher->hash();
  }

  void check_single(const std::vector<LabelledText>& texts) const {
    const auto pair = std::ranges::find_if(texts, [](const auto& row) { return row.text.text_pair.has_value(); });
    if (pair == texts.end()) return;
    throw TextError(pair->where, fmt::format("expected one text, as --teacher has one vector for each row, got two; "
                                             "leave out '{}'",
                                             printable(request_.fields.pair_name())));
  }

  /// Rows whose own text has to come first, as there is no other, teach nothing and are not judged.
  void check_ranking() {
    if (data_.loss != SentenceLoss::ranking) return;
    check_ranking_rows(data_.train.examples.rows, printable(request_.train));
    const auto tell = [&](const EmbedRows& held, const std::string& name) {
      auto line = incomparable_rows_line(held.examples.rows, held.texts, name);
      if (line) data_.notices.push_back(std::move(*line));
    };
    tell(data_.valid, request_.valid.empty() ? "the validation's share" : printable(request_.valid));
    if (data_.test) tell(*data_.test, printable(request_.test));
  }

  void tell_constant_labels() {
    NumberLabels labels{.train = data_.train.examples.labels, .valid = data_.valid.examples.labels, .test = {}};
    if (data_.test) labels.test = data_.test->examples.labels;
    std::ranges::move(constant_label_lines(request_, labels), std::back_inserter(data_.notices));
  }

  static std::vector<double> cosines(const std::vector<LabelledText>& texts) {
    std::vector<double> labels;
    for (const LabelledText& row : texts) {
      labels.push_back(number_of(row));
      if (std::abs(labels.back()) <= 1) continue;
      throw TextError(row.where, fmt::format("expected a cosine, from -1 to 1, as label, got {}; divide all labels by "
                                             "their largest",
                                             labels.back()));
    }
    return labels;
  }

  void check_teachers() const {
    if (data_.loss != SentenceLoss::distillation) return;
    const size_t expected = data_.train.examples.teacher->width(), got = data_.valid.examples.teacher->width();
    if (expected == got) return;
    throw ConfigError(printable(request_.valid_teacher),
                      fmt::format("expected vectors of {} dimensions, as in --teacher, got {}", expected, got));
  }

  void split() {
    const size_t count = data_.train.size();
    const Split split =
        stratified_split(std::vector<int32_t>(count), request_.options.valid_share, request_.options.seed);
    if (split.held_out.empty()) {
      throw UsageError("--valid-share", fmt::format("expected rows to validate on, got none of the {} rows", count));
    }
    const EmbedRows all = std::exchange(data_.train, {});
    data_.train = chosen_rows(all, split.train);
    data_.valid = chosen_rows(all, split.held_out);
    tell_common(data_.valid, "the validation's share");
  }

  static EmbedRows chosen_rows(const EmbedRows& all, const std::vector<size_t>& chosen) {
    EmbedRows part;
    const SentenceExamples& from = all.examples;
    part.examples.rows.texts_per_row = from.rows.texts_per_row;
    part.examples.teacher = from.teacher;
    for (const size_t row : chosen) {
      part.texts.push_back(all.texts[row]);
      if (!all.negatives.empty()) part.negatives.push_back(all.negatives[row]);
      for (size_t which = 0; which < from.rows.texts_per_row; ++which) {
        part.examples.rows.texts.push_back(from.rows.text(row, which));
      }
      if (!from.labels.empty()) part.examples.labels.push_back(from.labels[row]);
      if (from.teacher) part.examples.teacher_rows.push_back(from.teacher_rows[row]);
    }
    return part;
  }

  const FinetuneRequest& request_;
  const text::Tokenizer& tokenizer_;
  SentenceReading reading_;
  EmbedData data_;
};

}  // namespace

SentenceLoss sentence_loss(const FinetuneRequest& request) {
  if (request.options.embed.loss) return *request.options.embed.loss;
  if (!request.teacher.empty()) return SentenceLoss::distillation;
  if (request.fields.label) return SentenceLoss::cosine;
  if (request.negative) return SentenceLoss::ranking;
  const auto first = first_labelled(request);
  if (!first) return SentenceLoss::ranking;
  if (is_number(*first)) return SentenceLoss::cosine;
  throw UsageError("--loss",
                   fmt::format("expected it, as the label {} is no number ({}): ranking takes every row for two texts "
                               "that belong together, cosine needs numbers",
                               first->label, first->where));
}

EmbedData read_embed_data(const FinetuneRequest& request, const text::Tokenizer& tokenizer, SentenceReading reading) {
  return DataReader(request, tokenizer, std::move(reading)).read();
}

}  // namespace summand::train
