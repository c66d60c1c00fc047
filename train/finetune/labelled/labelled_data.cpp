#include "train/finetune/labelled/labelled_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "text/unknown_words.hpp"
#include "train/finetune/finetune.hpp"
#include "train/finetune/labelled/constant_labels.hpp"
#include "train/finetune/labelled/label_notices.hpp"
#include "train/finetune/labelled/queries.hpp"
#include "train/finetune/labelled/split.hpp"
#include "train/finetune/row_counts.hpp"

namespace summand::train {

namespace {

TextShape text_shape(FinetuneTask task) {
  switch (task) {
    case FinetuneTask::classify:
      return TextShape::one;
    case FinetuneTask::pair:
    case FinetuneTask::rank:
      return TextShape::two;
    case FinetuneTask::regress:
    case FinetuneTask::embed:
      return TextShape::one_or_two;
    case FinetuneTask::tag:
      return TextShape::words;
  }
  __builtin_unreachable();
}

enum class Labelled { yes, no };

text::InputRules rules_for(const FinetuneRequest& request, Labelled labelled) {
  text::InputRules rules{.fields = request.fields};
  if (labelled == Labelled::no) rules.fields.label.reset();
  rules.advice.text_field = "; --text-column names another";
  rules.advice.label_field = "; --label-column names another";
  return rules;
}

/// Rows with the same value are split alike. Sets of labels that one row alone has count as one.
std::vector<int32_t> strata(std::span<const EncodedRow> rows, LabelShape shape) {
  std::vector<int32_t> result(rows.size());
  if (shape != LabelShape::one && shape != LabelShape::several) return result;
  std::map<std::vector<int32_t>, std::vector<size_t>> by_labels;
  for (size_t row = 0; row < rows.size(); ++row) by_labels[rows[row].labels].push_back(row);
  int32_t next = 0;
  for (const auto& [labels, same] : by_labels) {
    const bool alone = shape == LabelShape::several && same.size() == 1;
    for (const size_t row : same) result[row] = alone ? -1 : next;
    ++next;
  }
  return result;
}

/// A query and all its passages go to one side.
Split split_queries(std::span<const LabelledText> rows, double share, uint64_t seed) {
  const Queries queries = queries_of(rows);
  const Split of_queries = stratified_split(std::vector<int32_t>(queries.count), share, seed);
  Split split;
  for (size_t row = 0; row < rows.size(); ++row) {
    (std::ranges::binary_search(of_queries.held_out, queries.of_rows[row]) ? split.held_out : split.train)
        .push_back(row);
  }
  return split;
}

LabelledRows chosen_rows(LabelledRows& all, const std::vector<size_t>& chosen) {
  LabelledRows part;
  for (const size_t row : chosen) {
    part.texts.push_back(std::move(all.texts[row]));
    part.encoded.rows.push_back(std::move(all.encoded.rows[row]));
  }
  return part;
}

/// Reads the files of a run, one after the other.
class DataReader {
 public:
  explicit DataReader(const TaskInputs& inputs)
      : inputs_(inputs),
        request_(inputs.request),
        reading_{.shape = label_shape(request_.options),
                 .cut = {.truncation = request_.options.truncation, .max_length = longest_row(inputs)},
                 .windows = request_.options.windows} {
    if (encodes_windows(request_.options)) {
      reading_.most_windows = static_cast<size_t>(request_.options.window_encoder.most_windows);
    }
    check_overlap();
  }

  LabelledData read() {
    std::vector<LabelledText> train = file(request_.train, Labelled::yes);
    data_.train_hash = hash_of_rows(train);
    if (reading_.shape != LabelShape::number) find_names(train);
    data_.train = encoded(std::move(train), request_.train);
    if (request_.valid.empty()) {
      split();
    } else {
      data_.valid = held_out(request_.valid);
      data_.valid_hash = hash_of_rows(data_.valid.texts);
    }
    if (reading_.shape != LabelShape::number && reading_.shape != LabelShape::by_word) {
      tell(rare_label_notice(data_.train, data_.names->names()));
    }
    if (!request_.test.empty()) data_.test = held_out(request_.test);
    if (reading_.shape == LabelShape::number) tell_constant_labels();
    if (request_.options.task == FinetuneTask::rank) {
      tell(lone_rows_notice(data_.valid.texts, request_.valid.empty() ? "the validation's share" : request_.valid));
      if (data_.test) tell(lone_rows_notice(data_.test->texts, request_.test));
    }
    if (!request_.predict.empty()) {
      data_.predict = encoded(file(request_.predict, Labelled::no), request_.predict);
    }
    tell_counts();
    return std::move(data_);
  }

 private:
  void check_overlap() const {
    if (!reading_.windows) return;
    const size_t room = *reading_.cut.max_length - inputs_.tokenizer.special_tokens_around_text();
    if (reading_.windows->overlap < room) return;
    throw UsageError("--overlap", fmt::format("expected less than {}, a window's tokens without special ones, got {}",
                                              room, reading_.windows->overlap));
  }

  std::vector<LabelledText> file(const std::string& path, Labelled labelled) {
    LabelledFile read = read_labelled(path, rules_for(request_, labelled), text_shape(request_.options.task));
    if (labelled == Labelled::yes) std::ranges::move(read.notices, std::back_inserter(data_.notices));
    return std::move(read.rows);
  }

  LabelledRows held_out(const std::string& path) {
    std::vector<LabelledText> rows = file(path, Labelled::yes);
    if (std::string both = rows_in_both(data_.train.texts, rows, printable(path)); !both.empty()) {
      data_.notices.push_back(std::move(both));
    }
    LabelledRows read = encoded(std::move(rows), path);
    if (reading_.shape == LabelShape::one) tell(judged_labels_notice(read.encoded.rows, data_.names->names(), path));
    return read;
  }

  LabelledRows encoded(std::vector<LabelledText> texts, const std::string& path) {
    EncodedRows rows = encode_rows(texts, inputs_.tokenizer, data_.names ? &*data_.names : nullptr, reading_);
    if (request_.options.task == FinetuneTask::rank) check_relevance(texts, rows);
    if (const auto line = text::unknown_words_line(rows.read)) {
      data_.notices.push_back(fmt::format("{}: {}", printable(path), *line));
    }
    const size_t longest = reading_.cut.max_length.value();
    if (rows.divided > 0) {
      data_.notices.push_back(fmt::format("{}: {} of {} rows are divided into {} windows of at most {} tokens",
                                          printable(path), rows.divided, texts.size(), rows.windows, longest));
    }
    if (rows.shortened > 0) {
      data_.notices.push_back(fmt::format("{}: {} of {} rows have more than {} windows and lose the rest",
                                          printable(path), rows.shortened, texts.size(), reading_.most_windows));
    }
    if (rows.read.texts_cut > 0) {
      std::string lost;
      if (rows.lost_words > 0) lost = fmt::format(", and the labels of {} words are lost", rows.lost_words);
      data_.notices.push_back(fmt::format("{}: {} of {} rows are cut to {} tokens{}", printable(path),
                                          rows.read.texts_cut, texts.size(), longest, lost));
    } else if (rows.lost_words > 0) {
      data_.notices.push_back(
          fmt::format("{}: {} words have no token, and their labels are lost", printable(path), rows.lost_words));
    }
    return {.texts = std::move(texts), .encoded = std::move(rows)};
  }

  static void check_relevance(const std::vector<LabelledText>& texts, const EncodedRows& rows) {
    for (size_t row = 0; row < texts.size(); ++row) {
      const double number = rows.rows[row].number;
      if (number >= 0 && number <= 1) continue;
      throw TextError(texts[row].where, fmt::format("expected a relevance from 0 to 1 as label, got {}", number));
    }
  }

  /// A checkpoint with the same labels keeps its order, and its head.
  void find_names(const std::vector<LabelledText>& train) {
    data_.names.emplace(train, reading_.shape);
    const io::Checkpoint& checkpoint = inputs_.checkpoint;
    const model::Head head = head_of(request_.options.task);
    if (!checkpoint.parts.has(head) || !checkpoint.config.names_labels) return;
    const std::vector<std::string>& own = checkpoint.config.config.labels.names;
    std::vector<std::string> left = own, right = data_.names->names();
    std::ranges::sort(left);
    std::ranges::sort(right);
    if (left != right) return;
    data_.names.emplace(own);
    data_.keeps_head = true;
  }

  void split() {
    const FinetuneOptions& options = request_.options;
    const Split split =
        options.task == FinetuneTask::rank
            ? split_queries(data_.train.texts, options.valid_share, options.seed)
            : stratified_split(strata(data_.train.encoded.rows, reading_.shape), options.valid_share, options.seed);
    if (split.held_out.empty()) {
      throw TextError(
          printable(request_.train),
          fmt::format("none of its {} rows can be kept apart to validate on, as {}; --valid names a file",
                      data_.train.size(),
                      options.task == FinetuneTask::rank ? "all have the same query" : "no label has a second one"));
    }
    LabelledRows all = std::move(data_.train);
    data_.train = chosen_rows(all, split.train);
    data_.valid = chosen_rows(all, split.held_out);
    if (std::string both = rows_in_both(data_.train.texts, data_.valid.texts, "the validation's share");
        !both.empty()) {
      data_.notices.push_back(std::move(both));
    }
  }

  void tell_constant_labels() {
    const auto numbers = [](const LabelledRows& rows) {
      std::vector<double> all;
      for (const EncodedRow& row : rows.encoded.rows) all.push_back(row.number);
      return all;
    };
    const NumberLabels labels{.train = numbers(data_.train),
                              .valid = numbers(data_.valid),
                              .test = data_.test ? numbers(*data_.test) : std::vector<double>()};
    std::ranges::move(constant_label_lines(request_, labels), std::back_inserter(data_.notices));
  }

  /// Before all other lines.
  void tell_counts() {
    const std::string labels = data_.names ? labels_told(data_.train.encoded.rows, data_.names->names()) : "";
    const size_t test = data_.test ? data_.test->size() : 0;
    data_.notices.insert(data_.notices.begin(),
                         rows_told(request_.train, data_.train.size(), labels, data_.valid.size(), test));
  }

  void tell(const std::optional<std::string>& notice) {
    if (notice) data_.notices.push_back(*notice);
  }

  const TaskInputs& inputs_;
  const FinetuneRequest& request_;
  RowReading reading_;
  LabelledData data_;
};

}  // namespace

size_t longest_row(const TaskInputs& inputs) {
  const auto positions = static_cast<size_t>(inputs.checkpoint.config.config.max_position_embeddings);
  const auto& asked = inputs.request.options.max_length;
  if (asked && *asked > positions) {
    throw UsageError("--max-length",
                     fmt::format("expected at most {}, the positions that the model has, got {}", positions, *asked));
  }
  const size_t longest = asked.value_or(inputs.limit);
  if (longest > inputs.request.options.batch_tokens) {
    throw UsageError("--batch-tokens", fmt::format("expected at least --max-length ({}), got {}", longest,
                                                   inputs.request.options.batch_tokens));
  }
  return longest;
}

LabelledData read_labelled_data(const TaskInputs& inputs) {
  return DataReader(inputs).read();
}

}  // namespace summand::train
