#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/matrix.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"

namespace summand::api {

/// Whether an interrupted run's part is taken up.
enum class Resume { no, yes };

/// A file of sentence vectors that grows row by row and appears whole: `.npy` (float32, [texts, width]), `.jsonl`
/// ({"index":…,"embedding":[…]} per line) or `.csv` (a header, then one line per text). Numbers in text are the
/// shortest that read back to the same float.
///
/// Work in progress lies in `OUT.part`. Beside it `OUT.part.state` says what the finished rows were made of (a
/// fingerprint of model and options, and a hash of the texts so far), so that a later run can continue them to the same
/// bytes. A run that fails or is killed after its first batch leaves both; one that succeeds leaves neither.
class EmbeddingFile {
 public:
  /// What an earlier run has finished.
  struct Finished {
    size_t rows = 0;
    uint64_t bytes = 0;
    uint64_t texts_hash = 0;
  };

  /// @param fingerprint  of everything but the texts that the rows depend on
  /// @throws UsageError for another ending, or to resume into a pipe; IoError if nothing can be written there
  EmbeddingFile(const std::filesystem::path& out, size_t width, uint64_t fingerprint, Resume resume);

  [[nodiscard]] const std::optional<Finished>& finished() const { return finished_; }
  [[nodiscard]] size_t rows() const { return rows_; }
  /// Rows that a later run could continue if this one ended now.
  [[nodiscard]] size_t recorded_rows() const { return recorded_rows_; }

  /// Appends one batch. It is recorded if it is the first, or a second after the last that was.
  /// @param texts_hash  of all texts up to the end of this batch
  void append(const Matrix<float>& vectors, uint64_t texts_hash);
  /// Records all rows, for a run that ends early.
  void record();
  void commit();

 private:
  enum class Format { npy, jsonl, csv };

  [[nodiscard]] static Format format_of(const std::filesystem::path& out);
  [[nodiscard]] std::optional<Finished> read_state() const;
  void begin(uint64_t keep_bytes);
  void append_text(const Matrix<float>& vectors);

  std::filesystem::path out_;
  std::filesystem::path state_path_;
  Format format_;
  size_t width_;
  uint64_t fingerprint_;
  std::optional<Finished> finished_;
  size_t rows_ = 0;
  uint64_t bytes_ = 0;  // of these rows
  uint64_t texts_hash_ = 0;
  size_t recorded_rows_ = 0;
  std::chrono::steady_clock::time_point recorded_at_ = {};
  std::unique_ptr<io::OutputFile> file_;
  std::unique_ptr<io::NpyWriter> npy_;
};

}  // namespace summand::api
