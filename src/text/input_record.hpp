#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "summand/text.hpp"

namespace summand::text {

/// How the records of an input are written.
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
};

/// From which keys of an object, or columns of a table, a record is read. None: `text`, and `text_pair` and `id` where
/// they are there; one that is named has to be there.
struct InputFields {
  std::optional<std::string> text = {};  ///< named: `tokens` is a key like any other
  std::optional<std::string> text_pair = {};
  std::optional<std::string> id = {};

  /// Whether none is named.
  [[nodiscard]] bool are_usual() const { return !text && !text_pair && !id; }
  [[nodiscard]] std::string_view text_name() const { return text ? *text : std::string_view("text"); }
  [[nodiscard]] std::string_view pair_name() const { return text_pair ? *text_pair : std::string_view("text_pair"); }
  [[nodiscard]] std::string_view id_name() const { return id ? *id : std::string_view("id"); }
};

/// What becomes of bytes that are not UTF-8, and of half a surrogate pair in JSON ("\ud83d").
enum class InvalidUtf8 {
  error,
  replace,  ///< each maximal invalid sequence, and each such half, reads as one U+FFFD
};

/// Words that messages of a program add: how its options would help. Empty: it has no such options.
struct InputAdvice {
  std::string format = {};             ///< behind a name that does not say, as in ", or --format"
  std::string text_field = {};         ///< behind a missing `text`, as in "; --field names another"
  std::string_view invalid_utf8 = {};  ///< behind the advice to convert, as in " or give --invalid-utf8 replace"
};

/// How an input is read.
struct InputRules {
  std::optional<InputFormat> format = {};  ///< none: by the name
  InputFields fields = {};
  InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  InputAdvice advice = {};
};

}  // namespace summand::text
