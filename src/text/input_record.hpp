#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "summand/text.hpp"

namespace summand::text {

/// File formats of records.
enum class InputFormat {
  txt,    ///< one text per line; an empty line is an empty text
  jsonl,  ///< one object per line: `text` and optionally `text_pair`, or `tokens`, words already split
  csv,    ///< a header line, then rows; fields are separated by commas and quoted as in RFC 4180
  tsv,    ///< likewise with tabs
};

/// One record.
struct InputRecord : Text {
  using Text::Text;
  std::string id = {};  ///< its `id` as JSON, a string in quotes or an integer of 64 bits; empty: it has none
  /// Its label as JSON, a string, a number, a boolean or a list of these; of a table, a string. Empty: none is read.
  std::string label = {};
};

/// Names of the keys or columns of a record. None: `text`, and `text_pair` and `id` if present; a name given here must
/// be present.
struct InputFields {
  std::optional<std::string> text = {};  ///< named: `tokens` is a key like any other
  std::optional<std::string> text_pair = {};
  std::optional<std::string> id = {};
  std::optional<std::string> label = {};  ///< none: labels are not read

  /// Whether no name is given.
  [[nodiscard]] bool are_usual() const { return !text && !text_pair && !id && !label; }
  [[nodiscard]] std::string_view text_name() const { return text ? *text : std::string_view("text"); }
  [[nodiscard]] std::string_view pair_name() const { return text_pair ? *text_pair : std::string_view("text_pair"); }
  [[nodiscard]] std::string_view id_name() const { return id ? *id : std::string_view("id"); }
};

/// Handling of invalid UTF-8, and of half a surrogate pair in JSON ("\ud83d").
enum class InvalidUtf8 {
  error,
  replace,  ///< each maximal invalid sequence and each such half becomes one U+FFFD
};

/// Additions to messages: which options of the program would help. Empty: none.
struct InputAdvice {
  std::string format = {};             ///< after an unknown extension, such as ", or --format"
  std::string text_field = {};         ///< after a missing `text`, such as "; --field names another"
  std::string label_field = {};        ///< after a missing label, likewise
  std::string_view invalid_utf8 = {};  ///< after the advice to convert, such as " or give --invalid-utf8 replace"
};

/// How to read an input.
struct InputRules {
  std::optional<InputFormat> format = {};  ///< none: by the name
  InputFields fields = {};
  InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  InputAdvice advice = {};
};

}  // namespace summand::text
