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

/// Records one after the other; no value ends them.
using NextRecord = std::function<std::optional<text::InputRecord>()>;

using summand::ReadCount;

/// Tokens that the engine is given at a time: it sorts them by length and shares them out.
inline constexpr size_t kBatchTokens = 16384;

/// Whether a batch has the encodings of its texts beside the tokens themselves.
enum class KeepEncodings {
  no,
  of_whole_texts,  ///< none where texts are divided
  of_divided_too,  ///< undivided, and where their windows lie
  of_windows,      ///< of texts that are divided: each window's own, and where it lies
};

/// Where a window lies in its text.
struct WindowPlace {
  Range tokens;        ///< that it holds, among the text's own
  size_t leading = 0;  ///< tokens of the window before them
};

/// How records become sequences of tokens.
struct ReadingOptions {
  LengthOptions length = {};
  std::optional<WindowOptions> windows = {};               ///< long texts are divided instead of cut
  text::WindowEnds window_ends = text::WindowEnds::words;  ///< where
  std::optional<size_t> limit = {};       ///< tokens where `length` says none; none: the model's positions
  std::string prompt = {};                ///< stands before every text, and before every window of it
  std::optional<std::string> query = {};  ///< the first text of a pair whose second each text is
  size_t batch_tokens = kBatchTokens;     ///< of a batch: a text that would be more ends it
  KeepEncodings encodings = KeepEncodings::of_whole_texts;
};

/// Records that are run together.
struct RecordBatch {
  size_t first = 0;                        ///< place of its first record in the whole input, from 0
  size_t first_token = 0;                  ///< place of its first token among those of the whole input
  std::vector<text::InputRecord> records;  ///< as they were read; none where the caller has a list of texts
  std::vector<TextView> texts;             ///< what was read, with the query where there is one
  model::Batch batch;                      ///< their sequences
  std::vector<size_t> sequences{0};  ///< [records + 1]: record i has sequences[i] … sequences[i + 1] - 1 of batch
  std::vector<text::Encoding> encodings;  ///< of each text or window, as ReadingOptions::encodings says
  std::vector<WindowPlace> places;        ///< of each sequence of divided texts, with of_divided_too and of_windows
  ReadCount count;                        ///< what became of its texts: of a call, the sum of its batches'

  [[nodiscard]] size_t size() const { return texts.size(); }
};

/// The one loop from texts to batches: encodes records of any number in constant memory. A text is never divided
/// between batches.
class RecordBatches {
 public:
  /// @param model  has to outlive this
  RecordBatches(const LoadedModel& model, NextRecord next, ReadingOptions options);
  /// @param texts  what they were made from has to outlive this
  RecordBatches(const LoadedModel& model, const TextList& texts, ReadingOptions options);

  /// The next batch, with at least one record, or nothing at the end.
  /// @throws TextError as LoadedModel::encode and divide, or with a query naming a text that is no single one;
  /// UsageError for a prompt before words already split
  [[nodiscard]] std::optional<RecordBatch> next();

 private:
  [[nodiscard]] TextView with_query(const TextView& text, size_t index) const;
  void encode(const TextView& text, RecordBatch& batch);
  /// @return windows of the text
  size_t encode_divided(const TextView& text, size_t limit, RecordBatch& batch) const;
  /// @throws TextError that names the text
  void encode_at(size_t index, const TextView& text, RecordBatch& batch);
  void add(const text::Encoding& encoding, RecordBatch& batch) const;

  const LoadedModel* model_;
  NextRecord next_;  // empty where there is a list
  TextList list_;
  ReadingOptions options_;
  size_t texts_ = 0;   // of the batches given out so far
  size_t tokens_ = 0;  // likewise
  // Reused from text to text.
  text::Tokenizer::Workspace workspace_;
  text::Encoding encoding_;
  std::string prompted_;
};

/// All of the texts as one batch.
[[nodiscard]] RecordBatch read_all(const LoadedModel& model, const TextList& texts, const LengthOptions& length);

/// Rows of sequences as rows of records: those of a record's sequences, combined.
/// @param rows  [sequences, width]
/// @param sequences  as in RecordBatch
/// @return [records, width]
[[nodiscard]] Matrix<float> rows_of_records(const Matrix<float>& rows, std::span<const size_t> sequences,
                                            WindowPooling pooling);

/// How messages call a text: "text 3: ". Counted from 1, which in a file is its line.
/// @param index  its place in the whole input, from 0
[[nodiscard]] std::string error_prefix(size_t index);

}  // namespace summand::api
