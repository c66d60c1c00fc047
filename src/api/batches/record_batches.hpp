#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/batches/window_combiner.hpp"
#include "api/model/loaded_model.hpp"
#include "base/matrix.hpp"
#include "model/batch.hpp"
#include "model/heads.hpp"

namespace summand::api {

/// Returns the next record, or no value at the end.
using NextRecord = std::function<std::optional<text::InputRecord>()>;

using summand::ReadCount;

/// Tokens per batch for the engine, which sorts texts by length and divides them among threads.
inline constexpr size_t kBatchTokens = 16384;

/// Which encodings a batch keeps besides the tokens.
enum class KeepEncodings {
  no,
  of_whole_texts,  ///< none if texts are divided
  of_divided_too,  ///< of the undivided texts, and the place of each window
  of_windows,      ///< of each window of divided texts, and its place
};

/// The place of a window in its text.
struct WindowPlace {
  Range tokens;        ///< of the window, among those of the text
  size_t leading = 0;  ///< tokens of the window before them
};

/// How to turn records into sequences of tokens.
struct ReadingOptions {
  LengthOptions length = {};
  std::optional<WindowOptions> windows = {};               ///< divide long texts instead of cutting them
  text::WindowEnds window_ends = text::WindowEnds::words;  ///< where to divide
  std::optional<size_t> limit = {};       ///< in tokens, if `length` has none; none: the model's positions
  std::string prompt = {};                ///< put before every text and every window
  std::optional<std::string> query = {};  ///< first text of a pair with each text
  size_t batch_tokens = kBatchTokens;     ///< at most, unless one text has more
  KeepEncodings encodings = KeepEncodings::of_whole_texts;
};

/// Records that are computed together.
struct RecordBatch {
  size_t first = 0;                        ///< index of its first record in the whole input
  size_t first_token = 0;                  ///< index of its first token among those of the whole input
  std::vector<text::InputRecord> records;  ///< as read; empty if the caller has a list of texts
  std::vector<TextView> texts;             ///< as read, with the query if there is one
  model::Batch batch;                      ///< their sequences
  std::vector<size_t> sequences{0};  ///< [records + 1]: record i has sequences[i] … sequences[i + 1] - 1 of batch
  std::vector<text::Encoding> encodings;  ///< of each text or window: see ReadingOptions::encodings
  std::vector<WindowPlace> places;        ///< of each sequence, with of_divided_too and of_windows
  ReadCount count;                        ///< of this batch; a call sums its batches

  [[nodiscard]] size_t size() const { return texts.size(); }
};

/// The loop from texts to batches that every call uses: encodes any number of records in constant memory. A text is
/// never split over two batches.
class RecordBatches {
 public:
  /// @param model  outlives this object
  RecordBatches(const LoadedModel& model, NextRecord next, ReadingOptions options);
  /// @param texts  their source outlives this object
  RecordBatches(const LoadedModel& model, const TextList& texts, ReadingOptions options);

  /// The next batch, with at least one record, or nothing at the end.
  /// @throws TextError as LoadedModel::encode and divide, or with a query for a text that is not a single one
  /// @throws UsageError for a prompt before pre-split words
  [[nodiscard]] std::optional<RecordBatch> next();

 private:
  [[nodiscard]] TextView with_query(const TextView& text, size_t index) const;
  void encode(const TextView& text, RecordBatch& batch);
  /// @return number of windows of the text
  size_t encode_divided(const TextView& text, size_t limit, RecordBatch& batch) const;
  /// @throws TextError naming the text
  void encode_at(size_t index, const TextView& text, RecordBatch& batch);
  void add(const text::Encoding& encoding, RecordBatch& batch) const;

  const LoadedModel* model_;
  NextRecord next_;  // empty if there is a list
  TextList list_;
  ReadingOptions options_;
  size_t texts_ = 0;   // of the batches returned so far
  size_t tokens_ = 0;  // likewise
  // Reused from text to text.
  text::Tokenizer::Workspace workspace_;
  text::Encoding encoding_;
  std::string prompted_;
};

/// All texts as one batch.
[[nodiscard]] RecordBatch read_all(const LoadedModel& model, const TextList& texts, const LengthOptions& length);

/// Combines the rows of each record's sequences into one row per record.
/// @param rows  [sequences, width]
/// @param sequences  as in RecordBatch
/// @return [records, width]
[[nodiscard]] Matrix<float> rows_of_records(const Matrix<float>& rows, std::span<const size_t> sequences,
                                            WindowPooling pooling);

/// Prefix of messages about a text: "text 3: ". Counts from 1, like lines of a file.
/// @param index  of the text in the whole input, from 0
[[nodiscard]] std::string error_prefix(size_t index);

}  // namespace summand::api
