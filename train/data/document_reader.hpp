#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/input_file.hpp"

namespace summand::train {

/// A text of several sentences: what is learned from never crosses its end.
using Document = std::vector<std::string>;

/// Files, for a message: the first one's name, and how many more. @pre there is one
[[nodiscard]] std::string name_of_files(const std::vector<std::string>& paths);

/// Whether one of the files holds records, which have fields; lines have none.
[[nodiscard]] bool have_fields(const std::vector<std::string>& paths);

/// Reads the documents of several files, one after another, plain or compressed with gzip or zstd; memory holds one. In
/// `.txt` a document is what stands between blank lines, a line a sentence; in `.jsonl` a record is one, its `text`,
/// and then its `text_pair`, split at line ends. A document never goes on in the next file, and none is empty.
class DocumentReader {
 public:
  /// Looks at every file as far as that takes nothing from it.
  /// @param fields  of records; lines have none
  /// @throws UsageError if there is no file, one whose name does not say its format, or a pipe; IoError if it cannot be
  ///   read
  explicit DocumentReader(std::vector<std::string> paths, text::InputFields fields = {});

  /// @throws TextError naming file and line; IoError if reading fails
  [[nodiscard]] std::optional<Document> next();

  [[nodiscard]] std::string name() const { return name_of_files(paths_); }

  /// Of all files, as far as they are known to have been read.
  [[nodiscard]] uint64_t bytes_read() const { return bytes_before_ + (file_ ? file_->bytes_read() : 0); }
  /// Of all files.
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
