#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "api/loaded_model.hpp"

namespace summand::api {

/// Records one after the other; no value ends them.
using NextRecord = std::function<std::optional<text::InputRecord>()>;

/// The records of a list, which has to outlive what is returned.
[[nodiscard]] NextRecord each_of(std::span<const text::InputRecord> records);

/// Records that are run together.
struct RecordBatch {
  size_t first = 0;  ///< place of its first record in the whole input, from 0
  std::vector<text::InputRecord> records;
  EncodedTexts texts;
};

/// Encodes records of any number in constant memory: batches of about 16 thousand tokens.
class RecordBatches {
 public:
  /// @param model  has to outlive this
  RecordBatches(const LoadedModel& model, NextRecord next, LengthOptions length);

  /// The next batch, with at least one record, or nothing at the end.
  /// @throws TextError as LoadedModel::encode
  [[nodiscard]] std::optional<RecordBatch> next();

  /// Of the batches given out so far.
  [[nodiscard]] size_t texts() const { return texts_; }
  [[nodiscard]] size_t texts_cut() const { return texts_cut_; }
  /// Tokens at which a text is cut.
  [[nodiscard]] size_t limit() const;

 private:
  const LoadedModel* model_;
  NextRecord next_;
  LengthOptions length_;
  size_t texts_ = 0;
  size_t texts_cut_ = 0;
};

/// How messages call a text: "text 3: ". Counted from 1, which in a file is its line.
[[nodiscard]] std::string place_of(const text::InputRecord& record);

}  // namespace summand::api
