#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "api/batches/record_batches.hpp"

namespace summand::api {

/// The records of a batch without duplicates (records with the same tokens as an earlier one), for results without a
/// row of fixed width. Results that depend on the text itself, such as offsets, are still made per record.
class DistinctRecords {
 public:
  /// Counts the duplicates in the batch.
  /// @param batch  outlives this object
  /// @param repeated  compute_each: keep every record
  DistinctRecords(RecordBatch& batch, RepeatedTexts repeated);

  /// The batch to compute: the whole one if it has no duplicates, else sequences and texts of the records kept.
  [[nodiscard]] const RecordBatch& batch() const { return part_ ? *part_ : whole_; }
  /// Indices of the records kept, in the whole batch.
  [[nodiscard]] std::span<const size_t> kept() const { return kept_; }
  /// The index in batch() of the record with the same tokens.
  /// @param record  index in the whole batch
  [[nodiscard]] size_t index_in_batch(size_t record) const { return places_[record]; }

 private:
  const RecordBatch& whole_;
  std::optional<RecordBatch> part_;
  std::vector<size_t> kept_;
  std::vector<size_t> places_;  // [records of the whole]
};

}  // namespace summand::api
