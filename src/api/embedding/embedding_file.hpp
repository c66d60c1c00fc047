#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/embedding/resume_state.hpp"
#include "api/outputs/output.hpp"
#include "api/outputs/result_setting.hpp"
#include "api/vector_files/quantize_vectors.hpp"
#include "base/matrix.hpp"
#include "io/npy_writer.hpp"

namespace summand::api {

/// Handling of the rows that an interrupted run has finished.
enum class FinishedTexts {
  refuse,   ///< keep them; this run is an error
  resume,   ///< continue after them
  discard,  ///< delete them
};

enum class VectorFormat { npy, jsonl, csv };

/// The formats' file extensions: ".npy", ".jsonl", ".csv".
[[nodiscard]] std::span<const std::string_view> vector_endings();

struct EmbeddingFileOptions {
  size_t width = 0;
  std::vector<ResultSetting> settings = {};  ///< everything that determines the rows, except the texts
  VectorType type = VectorType::float32;     ///< of the numbers
  std::optional<VectorRanges> ranges = {};   ///< of a type that needs them; none: those of the rows
  FinishedTexts finished = FinishedTexts::refuse;
  Existing existing = Existing::refuse;
  std::optional<VectorFormat> format = {};  ///< none: by OUT's extension
};

/// Checks OUT, and for a .npy also the files written next to it.
/// @throws as check_output
void check_vector_output(const std::filesystem::path& out, VectorFormat format, Existing existing);

/// @throws UsageError if the type needs ranges and none are given, except for a .npy file: only there can they be taken
///   from the rows
void require_ranges(const std::filesystem::path& out, VectorFormat format, VectorType type,
                    const std::optional<VectorRanges>& ranges);

/// @param asked  none: by OUT's extension
/// @throws UsageError if neither is known, or the two differ
[[nodiscard]] VectorFormat vector_format(const std::filesystem::path& out, std::optional<VectorFormat> asked);

/// A file of sentence vectors that grows row by row and appears whole. Formats:
/// - `.npy`: [texts, width], or an eighth of the width for bits; ids go to `OUT.npy.ids.jsonl`;
/// - `.jsonl`: {"index":…,"id":…,"embedding":[…]} per line, "id" if the text has one;
/// - `.csv`: a header, then one line per text; a first column `id` if the first text has one.
/// Numbers in text are the shortest that read back to the same float.
///
/// Work in progress is in `OUT.part`. `OUT.part.state` records every setting by name and a hash of the texts so far, so
/// that a later run can continue to the same bytes. A run that fails or is killed after its first batch leaves both
/// files; a run that succeeds leaves neither. Finished rows are deleted only on request.
///
/// Ranges taken from the rows are known only at the end: until then the part holds float32.
///
/// Pipes, devices and open descriptors are written directly, batch by batch; a `.npy` at the end, as its header has the
/// number of rows. They cannot be resumed.
class EmbeddingFile {
 public:
  /// A batch of rows.
  struct Rows {
    const Matrix<float>& vectors;
    std::span<const std::string> ids;  ///< one for each row, as text::InputRecord::id
    uint64_t texts_hash = 0;           ///< of all texts up to the end of this batch
  };

  /// @throws UsageError if the format is unknown, a pipe is to be resumed, or the ranges have another width or are
  ///   missing (see require_ranges()); also if an interrupted run has finished texts with other settings, or any texts
  ///   under FinishedTexts::refuse
  /// @throws IoError if the file cannot be written, or an interrupted run's files are damaged or of another version
  EmbeddingFile(const std::filesystem::path& out, EmbeddingFileOptions options);

  /// The rows of an earlier run that this one continues.
  [[nodiscard]] const std::optional<ResumeState>& finished() const { return finished_; }
  [[nodiscard]] size_t rows() const { return rows_; }
  /// Rows recorded so far: a later run can continue after them.
  [[nodiscard]] size_t recorded_rows() const { return recorded_rows_; }
  /// Whether ids get lost: a .npy that is a pipe has no place for them.
  [[nodiscard]] bool leaves_out_ids() const;

  /// Whether the output is a pipe, a device or an open descriptor.
  [[nodiscard]] bool is_written_through() const { return !file_->can_seek(); }

  /// Takes each record's id, in order, before its row; may run while append() runs on another thread. The first record
  /// decides whether the file has ids.
  /// @throws TextError for an id if the first text has none
  void check_id(const std::string& id);

  /// Appends one batch. Records it if it is the first, or a second has passed since the last recording.
  void append(const Rows& rows);
  /// Records all rows; for a run that ends early.
  void record();
  /// @throws UsageError if the ranges come from the rows, and there is only one or all are equal
  void commit();
  /// After commit(): the ranges, if they come from the rows.
  [[nodiscard]] const std::optional<VectorRanges>& own_ranges() const { return own_ranges_; }

 private:
  enum class Appearing { no, yes };  ///< whether some of several files may already exist

  [[nodiscard]] std::optional<ResumeState> left_rows() const;
  void take_back(const ResumeState& left);
  void take_up(const std::optional<ResumeState>& left);
  void check_left(const ResumeState& left) const;
  void write_state(Appearing appearing);
  void let_others_appear();
  [[nodiscard]] bool is_rounded_at_the_end() const;
  [[nodiscard]] VectorType written_type() const;
  [[nodiscard]] io::NpyWriter::Shape shape() const;
  void begin_npy();
  void begin_ids();
  void begin_text();
  [[nodiscard]] std::filesystem::path rounded_part();
  void append_text(const Rows& rows, const Matrix<std::byte>& numbers);

  std::filesystem::path out_;
  EmbeddingFileOptions options_;
  VectorFormat format_;
  std::filesystem::path state_path_;
  std::optional<ResumeState> finished_;
  size_t rows_ = 0;
  uint64_t bytes_ = 0;  // of these rows
  uint64_t texts_hash_ = 0;
  std::optional<bool> has_ids_;  // none before the first record
  size_t ids_checked_ = 0;
  size_t recorded_rows_ = 0;
  std::chrono::steady_clock::time_point recorded_at_ = {};
  std::unique_ptr<io::OutputFile> file_;
  std::unique_ptr<io::OutputFile> ids_;  // next to a .npy
  std::unique_ptr<io::NpyWriter> npy_;
  std::optional<VectorRanges> own_ranges_;
  std::vector<std::byte> held_;  // rows of a .npy that is a pipe
};

}  // namespace summand::api
