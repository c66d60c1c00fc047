#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "inputs/decompressed.hpp"
#include "text/input_bytes.hpp"
#include "text/input_reader.hpp"

namespace summand::inputs {

/// The records of one input file or of standard input, compressed or not.
class InputFile {
 public:
  /// Checks a file without consuming input.
  /// @return its size, if it is a regular file
  /// @throws UsageError if its format is neither given nor clear from its name; IoError if it cannot be read
  static std::optional<uint64_t> check(const std::string& path, const text::InputRules& rules);

  /// The format by the file's name, with or without .gz or .zst; nothing for other names.
  [[nodiscard]] static std::optional<text::InputFormat> format_of(const std::filesystem::path& path);

  /// The whole text of a file, without its byte order mark.
  /// @param rules  their format is ignored
  /// @throws IoError if it cannot be read; TextError as LineReader
  [[nodiscard]] static std::string whole(const std::string& path, const text::InputRules& rules);

  /// @param path  a file, or "-" for standard input
  /// @throws UsageError, IoError as check()
  InputFile(const std::string& path, const text::InputRules& rules);

  /// The next record, or nothing at the end.
  /// @throws TextError, IoError as InputReader and Decompressed
  [[nodiscard]] std::optional<text::InputRecord> next() { return reader_.next(); }

  /// "name:line" of the last record, where it began.
  [[nodiscard]] std::string where() const { return reader_.where(); }
  /// Bytes of the file read so far, if known.
  [[nodiscard]] uint64_t bytes_read() const { return decompressed_ ? bytes_.bytes_taken() : reader_.bytes_read(); }
  [[nodiscard]] size_t invalid_records() const { return reader_.invalid_records(); }

 private:
  text::InputBytes bytes_;
  std::unique_ptr<Decompressed> decompressed_;
  text::InputReader reader_;
};

}  // namespace summand::inputs
