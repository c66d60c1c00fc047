#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "text/input_record.hpp"
#include "text/line_reader.hpp"

namespace summand::text {

class DelimitedRows;
class RecordTable;

/// The format by a file's extension; nothing for other names.
[[nodiscard]] std::optional<InputFormat> format_of(const std::filesystem::path& path);

/// Reads the records of an input one after another; memory holds one. Lines are those of LineReader. In .jsonl, blank
/// lines are skipped at the end and errors elsewhere.
class InputReader {
 public:
  /// @param path  a file, or "-" for standard input
  /// @throws IoError with the system's reason; UsageError if the format is unknown
  [[nodiscard]] static InputReader open(const std::filesystem::path& path, const InputRules& rules = {});

  /// @param name  of the input, for messages
  /// @param rules  with a format
  /// @throws UsageError for named fields with a format that has none
  InputReader(std::unique_ptr<std::istream> stream, std::string name, InputRules rules);

  InputReader(InputReader&&) noexcept;
  InputReader& operator=(InputReader&&) noexcept;
  ~InputReader();

  /// The next record, or nothing at the end.
  /// @throws TextError naming file and line; IoError if reading fails
  [[nodiscard]] std::optional<InputRecord> next();

  /// "name:line" of the last record, where it began.
  [[nodiscard]] std::string where() const;
  /// Bytes of the lines read so far.
  [[nodiscard]] uint64_t bytes_read() const { return lines_->bytes_read(); }
  /// Records so far with invalid UTF-8.
  [[nodiscard]] size_t invalid_records() const { return invalid_records_; }

 private:
  [[nodiscard]] std::optional<InputRecord> next_line();
  [[nodiscard]] std::optional<InputRecord> next_object();
  [[nodiscard]] std::optional<InputRecord> next_row(char delimiter);
  [[nodiscard]] std::optional<InputRecord> next_record();

  InputRules rules_;
  std::unique_ptr<LineReader> lines_;     // on the heap: the two below point to it
  std::unique_ptr<DelimitedRows> rows_;   // of tables alone
  std::unique_ptr<RecordTable> records_;  // likewise; none before the header is read
  size_t invalid_records_ = 0;
};

}  // namespace summand::text
