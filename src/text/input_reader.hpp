#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "summand/text.hpp"

namespace summand::text {

/// How the records of an input are written.
enum class InputFormat {
  txt,    ///< one text per line; an empty line is an empty text
  jsonl,  ///< one object per line: `text` and optionally `text_pair`, or `tokens`, words already split
};

/// One record.
struct InputRecord : Text {
  using Text::Text;
  std::string id = {};  ///< its `id` as JSON, a string in quotes or a number; empty: it has none
};

/// Reads the records of an input one after another; memory holds one line.
/// Lines end at "\n" only; one "\r" before it belongs to the line end. A last line without "\n" counts. A byte order
/// mark at the start is dropped. In .jsonl, blank lines at the end are passed over; before another record they are
/// errors, and so are bytes that are not UTF-8, lone surrogates and keys without the type given above.
class InputReader {
 public:
  /// @param path  a file, or "-" for standard input
  /// @param format  none: by the name, .txt or .jsonl
  /// @throws IoError with the system's reason; UsageError if the format cannot be known
  [[nodiscard]] static InputReader open(const std::filesystem::path& path, std::optional<InputFormat> format = {});

  /// @param name  what messages call the input
  InputReader(std::unique_ptr<std::istream> stream, InputFormat format, std::string name);

  InputReader(InputReader&&) noexcept;
  InputReader& operator=(InputReader&&) noexcept;
  ~InputReader();

  /// The next record, or nothing at the end.
  /// @throws TextError naming file and line; IoError if reading fails
  [[nodiscard]] std::optional<InputRecord> next();

  /// Bytes of the lines read so far.
  [[nodiscard]] uint64_t bytes_read() const { return bytes_read_; }
  /// Bytes of the whole input when it was opened, where it is a regular file.
  [[nodiscard]] std::optional<uint64_t> size() const { return size_; }

 private:
  bool next_line();
  [[nodiscard]] std::optional<InputRecord> next_object();

  std::unique_ptr<std::istream> stream_;
  InputFormat format_;
  std::string name_;
  std::string line_;
  size_t line_number_ = 0;
  uint64_t bytes_read_ = 0;
  std::optional<uint64_t> size_;
};

}  // namespace summand::text
