#include "train/finetune/labelled/labelled_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "inputs/input_file.hpp"
#include "train/data/white_space.hpp"

namespace summand::train {

namespace {

/// All that a model reads of a row, as one string.
std::string content_of(const Text& text) {
  if (!text.words) return text.text + (text.text_pair ? '\0' + *text.text_pair : "");
  std::string all;
  for (const std::string& word : *text.words) all += word + '\0';
  return all;
}

bool lacks_first(const Text& text) {
  return text.text_pair && is_blank(text.text) && !is_blank(*text.text_pair);
}

bool lacks_second(const Text& text) {
  return text.text_pair && is_blank(*text.text_pair) && !is_blank(text.text);
}

bool is_empty(const Text& text) {
  if (text.words) return std::ranges::all_of(*text.words, is_blank);
  return is_blank(text.text) && (!text.text_pair || is_blank(*text.text_pair));
}

/// Brings a row into the shape that the task reads. @throws TextError
void fit(Text& text, TextShape shape, const std::string& where) {
  const bool pair = text.text_pair.has_value();
  switch (shape) {
    case TextShape::words:
      if (pair) throw TextError(where, "expected words, got two texts");
      if (!text.words) text.words = split_at_blanks(text.text);
      return;
    case TextShape::one:
      if (pair) throw TextError(where, "expected one text, got two; --task pair reads two");
      break;
    case TextShape::two:
      if (!pair) text.text_pair = "";  // an empty cell of a table
      break;
    case TextShape::one_or_two:
      break;
  }
  if (text.words) throw TextError(where, "expected 'text', got 'tokens'; --task tag reads words");
}

/// Some rows of a kind, and the first of them.
struct Counted {
  size_t rows = 0;
  std::string first;

  void add(const std::string& where) {
    if (rows++ == 0) first = where;
  }
};

/// "FILE:LINE: 3 texts are empty, the first one here"
void note(std::vector<std::string>& notices, const Counted& counted, const char* one, const char* several) {
  if (counted.rows == 1) notices.push_back(fmt::format("{}: {}", counted.first, one));
  if (counted.rows > 1) {
    notices.push_back(fmt::format("{}: {} {}, the first one here", counted.first, counted.rows, several));
  }
}

}  // namespace

std::vector<std::string> split_at_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string> words;
  for (size_t begin = text.find_first_not_of(kBlanks); begin != text.npos; begin = text.find_first_not_of(kBlanks)) {
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    words.emplace_back(word);
    text.remove_prefix(word.size());
  }
  return words;
}

LabelledFile read_labelled(const std::string& path, const text::InputRules& rules, TextShape shape) {
  inputs::InputFile input(path, rules);
  LabelledFile file;
  std::unordered_map<std::string, std::string> labels;  // by the text
  bool has_pair = false;
  std::string first_single;
  Counted empty, without_first, without_second, twice, differing;
  while (auto record = input.next()) {
    const std::string where = input.where();
    if (record->text_pair) {
      has_pair = true;
    } else if (first_single.empty()) {
      first_single = where;
    }
    fit(*record, shape, where);
    if (is_empty(*record)) empty.add(where);
    if (lacks_first(*record)) without_first.add(where);
    if (lacks_second(*record)) without_second.add(where);
    const auto [earlier, is_new] = labels.emplace(content_of(*record), record->label);
    if (!is_new) (earlier->second == record->label ? twice : differing).add(where);
    std::string label = std::move(record->label);
    file.rows.push_back({.text = std::move(*record), .label = std::move(label), .where = where});
  }
  const std::string name = printable(path);
  if (file.rows.empty()) throw TextError(name, "expected rows, got none");
  if (shape == TextShape::two && !has_pair) {
    throw TextError(first_single, "expected two texts, got one; --pair-column names the second");
  }
  if (empty.rows + without_first.rows == file.rows.size()) {
    throw TextError(name, fmt::format("'{}': expected texts, got {} empty ones; --text-column names another column",
                                      printable(rules.fields.text_name()), file.rows.size()));
  }
  if (empty.rows + without_second.rows == file.rows.size()) {
    throw TextError(name,
                    fmt::format("'{}': expected second texts, got {} empty ones; --pair-column names another column",
                                printable(rules.fields.pair_name()), file.rows.size()));
  }
  note(file.notices, without_first, "the first text of two is empty", "first texts of two are empty");
  note(file.notices, without_second, "the second text of two is empty", "second texts of two are empty");
  note(file.notices, empty, "the text is empty", "texts are empty");
  note(file.notices, twice, "the row stands earlier in the file too, with the same label",
       "rows stand earlier in the file too, with the same label");
  note(file.notices, differing, "the row stands earlier in the file too, with another label",
       "rows stand earlier in the file too, with another label");
  return file;
}

TextError error_in_row(const LabelledText& row, const TextError& error) {
  const std::string message(error.message());
  if (error.where() != "truncation") return {row.where, message};
  // It names the way to cut first, if that is at fault.
  return {row.where, (message.starts_with("expected") ? "--max-length: " : "--truncation ") + message};
}

std::string hash_of_rows(const std::vector<LabelledText>& rows) {
  Hash hash;
  for (const LabelledText& row : rows) {
    hash.add(content_of(row.text));
    hash.add(row.label);
  }
  return fmt::format("{:016x}", hash.value());
}

std::string rows_in_both(const std::vector<LabelledText>& train, const std::vector<LabelledText>& held_out,
                         const std::string& name) {
  std::unordered_set<std::string> known;
  for (const LabelledText& row : train) known.insert(content_of(row.text));
  Counted both;
  for (const LabelledText& row : held_out) {
    if (known.contains(content_of(row.text))) both.add(row.where);
  }
  if (both.rows == 0) return "";
  return fmt::format(
      "{}: {} of the {} rows of {} stand in --train too, the first one here; scores on them say nothing about new "
      "texts",
      both.first, both.rows, held_out.size(), name);
}

}  // namespace summand::train
