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

#include "api/embedding/finished_rows.hpp"
#include "api/outputs/output.hpp"
#include "api/outputs/setting.hpp"
#include "api/stored/quantize_vectors.hpp"
#include "base/matrix.hpp"
#include "io/npy_writer.hpp"

namespace summand::api {

/// What becomes of the texts that an interrupted run has finished.
enum class FinishedTexts {
  refuse,   ///< they stay, and this run is an error
  resume,   ///< this run goes on behind them
  discard,  ///< on purpose
};

enum class VectorFormat { npy, jsonl, csv };

/// The formats' endings: ".npy", ".jsonl", ".csv".
[[nodiscard]] std::span<const std::string_view> vector_endings();

struct EmbeddingFileOptions {
  size_t width = 0;
  std::vector<Setting> settings = {};       ///< all that the rows depend on, but the texts
  VectorType type = VectorType::float32;    ///< of the numbers
  std::optional<VectorRanges> ranges = {};  ///< of a type that needs them; none: those of the rows themselves
  FinishedTexts finished = FinishedTexts::refuse;
  Existing existing = Existing::refuse;
  std::optional<VectorFormat> format = {};  ///< none: by OUT's ending
};

/// Looks at OUT and, of a .npy, at the files that may lie beside it.
/// @throws as check_output
void check_vector_output(const std::filesystem::path& out, VectorFormat format, Existing existing);

/// @throws UsageError if the type's steps would have to be those of the rows themselves where all rows have to be known
///   before the first is written: anywhere but in a .npy file
void require_ranges(const std::filesystem::path& out, VectorFormat format, VectorType type,
                    const std::optional<VectorRanges>& ranges);

/// @param asked  none: by OUT's ending
/// @throws UsageError if neither says, or the two say different things
[[nodiscard]] VectorFormat vector_format(const std::filesystem::path& out, std::optional<VectorFormat> asked);

/// A file of sentence vectors that grows row by row and appears whole: `.npy` ([texts, width], or an eighth of it of
/// bits), `.jsonl`
/// ({"index":…,"id":…,"embedding":[…]} per line, "id" where the text has one) or `.csv` (a header, then one line per
/// text; a first column `id` if the first text has one). The ids of a `.npy` lie beside it, in `OUT.npy.ids.jsonl`.
/// Numbers in text are the shortest that read back to the same float.
///
/// Work in progress lies in `OUT.part`. Beside it `OUT.part.state` says what the finished rows were made of (every
/// setting by name, and a hash of the texts so far), so that a later run can continue them to the same bytes. A run
/// that fails or is killed after its first batch leaves both; one that succeeds leaves neither. What is finished is
/// thrown away only where that is asked for.
///
/// Steps of the rows themselves are known when all rows are there: until then a part holds float32.
///
/// Pipes, devices and open descriptors are written straight through, batch by batch; of a `.npy`, whose header says how
/// many rows there are, at the end. There is nothing to resume in them.
class EmbeddingFile {
 public:
  /// Rows as they come.
  struct Rows {
    const Matrix<float>& vectors;
    std::span<const std::string> ids;  ///< one for each row, as text::InputRecord::id
    uint64_t texts_hash = 0;           ///< of all texts up to the end of these
  };

  /// @throws UsageError if the format cannot be known, the type's ranges are of another width or would have to be those
  ///   of rows that are no .npy file, to resume into a pipe, or if an interrupted run has finished texts with other
  ///   settings, or any and nothing was said about them; IoError if nothing can be written there, or what an
  ///   interrupted run left is damaged or of another version
  EmbeddingFile(const std::filesystem::path& out, EmbeddingFileOptions options);

  /// What an earlier run has finished, that this one goes on behind.
  [[nodiscard]] const std::optional<FinishedRows>& finished() const { return finished_; }
  [[nodiscard]] size_t rows() const { return rows_; }
  /// Rows that a later run could continue if this one ended now.
  [[nodiscard]] size_t recorded_rows() const { return recorded_rows_; }
  /// Whether there are ids and the file has no place for them: a .npy that is a pipe.
  [[nodiscard]] bool leaves_out_ids() const;

  /// Whether it is a pipe, a device or an open descriptor.
  [[nodiscard]] bool is_written_through() const { return !file_->can_seek(); }

  /// Every record's id, in their order, before its row; also while append() runs on another thread. The first decides
  /// whether there are any.
  /// @throws TextError for an id that has no place, since the first text has none
  void check_id(const std::string& id);

  /// Appends one batch. It is recorded if it is the first, or a second after the last that was.
  void append(const Rows& rows);
  /// Records all rows, for a run that ends early.
  void record();
  /// @throws UsageError if the steps are those of the rows themselves, and these are one or all the same
  void commit();
  /// After commit(): the ranges that the steps come from, if they are those of the rows themselves.
  [[nodiscard]] const std::optional<VectorRanges>& own_ranges() const { return own_ranges_; }

 private:
  enum class Appearing { no, yes };  ///< whether some of several files may be there already

  [[nodiscard]] std::optional<FinishedRows> left_rows() const;
  void take_back(const FinishedRows& left);
  void take_up(const std::optional<FinishedRows>& left);
  void check_left(const FinishedRows& left) const;
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
  std::optional<FinishedRows> finished_;
  size_t rows_ = 0;
  uint64_t bytes_ = 0;  // of these rows
  uint64_t texts_hash_ = 0;
  std::optional<bool> has_ids_;  // none before the first record
  size_t ids_checked_ = 0;
  size_t recorded_rows_ = 0;
  std::chrono::steady_clock::time_point recorded_at_ = {};
  std::unique_ptr<io::OutputFile> file_;
  std::unique_ptr<io::OutputFile> ids_;  // beside a .npy
  std::unique_ptr<io::NpyWriter> npy_;
  std::optional<VectorRanges> own_ranges_;
  std::vector<std::byte> held_;  // rows of a .npy that is a pipe
};

}  // namespace summand::api
