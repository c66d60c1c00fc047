#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/input_file.hpp"

namespace summand::train {

/// A text of several sentences; no example crosses its end.
using Document = std::vector<std::string>;

/// Files for a message: the first one's name and the number of others. @pre there is one
[[nodiscard]] std::string name_of_files(const std::vector<std::string>& paths);

/// Whether one of the files holds records with fields, not lines.
[[nodiscard]] bool have_fields(const std::vector<std::string>& paths);

/// Reads the documents of several files, plain or compressed with gzip or zstd, one in memory at a time. In `.txt`
/// blank lines separate documents, and a line is a sentence; in `.jsonl` a record is a document: its `text`, then its
/// `text_pair`, split at line ends. A document never continues in the next file, and none is empty.
class DocumentReader {
 public:
  /// Checks every file without consuming input.
  /// @param fields  of records
  /// @throws UsageError if there is no file, a file of unknown format, or a pipe; IoError if a file cannot be read
  explicit DocumentReader(std::vector<std::string> paths, text::InputFields fields = {});

  /// @throws TextError naming file and line; IoError if reading fails
  [[nodiscard]] std::optional<Document> next();

  [[nodiscard]] std::string name() const { return name_of_files(paths_); }

  /// Bytes read of all files, as far as known.
  [[nodiscard]] uint64_t bytes_read() const { return bytes_before_ + (file_ ? file_->bytes_read() : 0); }
  /// Size of all files.
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  std::vector<std::string> paths_;
  text::InputFields fields_;
  uint64_t bytes_ = 0;
  size_t next_path_ = 0;
  uint64_t bytes_before_ = 0;  // of the files before
  bool lines_ = false;         // whether a record of the file is a line
  std::optional<inputs::InputFile> file_;
};

}  // namespace summand::train
