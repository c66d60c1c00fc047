#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "text/foreign_encoding.hpp"
#include "text/input_record.hpp"

namespace summand::text {

/// Reads the lines of an input one after another and looks at their bytes; memory holds one line.
/// Lines end at "\n" only; one "\r" before it belongs to the line end. A last line without "\n" counts. The byte order
/// mark of UTF-8 is dropped at the start; UTF-16 and UTF-32 are refused by name.
class LineReader {
 public:
  /// @param name  of the input, for messages
  LineReader(std::unique_ptr<std::istream> stream, std::string name, const InputRules& rules);

  /// Reads the next line. @return whether there is one
  /// @throws TextError naming line, byte and its value for invalid UTF-8, unless it is to be replaced
  /// @throws IoError if reading fails, and whatever the stream's buffer throws
  bool next();

  /// The line without its end; invalid bytes are not yet replaced.
  [[nodiscard]] std::string& line() { return line_; }
  /// "\n", "\r\n", or nothing at the end of the input.
  [[nodiscard]] std::string_view line_end() const { return line_end_; }
  /// Number of this line, from 1; 0 before the first.
  [[nodiscard]] size_t number() const { return number_; }
  /// "name:line", of this line or another.
  [[nodiscard]] std::string where() const { return where(number_); }
  [[nodiscard]] std::string where(size_t number) const;
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Bytes of the lines read so far.
  [[nodiscard]] uint64_t bytes_read() const { return bytes_read_; }
  /// Treats the line as JSON: halves of surrogate pairs become U+FFFD and count as invalid UTF-8.
  void replace_lone_surrogates();
  /// Whether a line since the last call of this function had invalid UTF-8.
  [[nodiscard]] bool take_invalid();

 private:
  void check_bytes(size_t dropped);

  std::unique_ptr<std::istream> stream_;
  std::string name_;
  InvalidUtf8 invalid_utf8_;
  std::string_view advice_;
  ForeignEncoding encoding_;
  std::string line_;
  std::string_view line_end_;
  size_t number_ = 0;
  uint64_t bytes_read_ = 0;
  bool has_invalid_ = false;
};

/// Checks a complete text.
/// @param where  its name, for messages
/// @return whether it is valid UTF-8
/// @throws TextError naming byte and value if it is not, unless it is to be replaced
bool check_utf8(std::string_view text, std::string_view where, const InputRules& rules);

}  // namespace summand::text
