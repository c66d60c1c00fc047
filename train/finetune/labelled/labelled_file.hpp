#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "summand/error.hpp"
#include "text/input_record.hpp"

namespace summand::train {

/// A text with its label, as a file has it.
struct LabelledText {
  Text text;
  std::string label;  ///< as JSON: text::InputRecord::label
  std::string where;  ///< "file:line", for messages
};

/// What a row has to read.
enum class TextShape {
  one,         ///< one text
  two,         ///< two texts
  one_or_two,  ///< either
  words,       ///< `tokens`, or a text whose words are separated by blanks
};

/// The rows of a file, in its order, and what its user should know of them.
struct LabelledFile {
  std::vector<LabelledText> rows;
  std::vector<std::string> notices;  ///< rows without a word, the same row twice, one text with two labels
};

/// Reads a .jsonl, .csv or .tsv file, compressed or not.
/// @param rules  their fields name the label
/// @throws UsageError, IoError, TextError as inputs::InputFile; TextError if there is no row, or no text has a word, or
/// a
///   row has another shape
[[nodiscard]] LabelledFile read_labelled(const std::string& path, const text::InputRules& rules, TextShape shape);

/// A tokenizer's error with the row's place, and with the option if the text could not be cut: "--truncation none: …".
[[nodiscard]] TextError error_in_row(const LabelledText& row, const TextError& error);

/// "a b  c" as its words.
[[nodiscard]] std::vector<std::string> split_at_blanks(std::string_view text);

/// Hash of all rows: texts and labels, in their order.
[[nodiscard]] std::string hash_of_rows(const std::vector<LabelledText>& rows);

/// How many rows of one file have their text in another, and where the first of them stands; empty if none.
[[nodiscard]] std::string rows_in_both(const std::vector<LabelledText>& train,
                                       const std::vector<LabelledText>& held_out, const std::string& name);

}  // namespace summand::train
