#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "api/batches/record_batches.hpp"

namespace summand::api {

/// The records of a batch without those whose tokens an earlier one of it has, for results that have no row of a fixed
/// width. What is made of a record's own text, as where a token stands in it, each record still gets for itself.
class DistinctRecords {
 public:
  /// Counts in the batch what comes again.
  /// @param batch  has to outlive this
  /// @param repeated  compute_each: every record is kept
  DistinctRecords(RecordBatch& batch, RepeatedTexts repeated);

  /// What is to be computed: the whole batch where nothing comes again; else sequences and texts of the records kept.
  [[nodiscard]] const RecordBatch& batch() const { return part_ ? *part_ : whole_; }
  /// The records kept, as they are counted in the whole batch.
  [[nodiscard]] std::span<const size_t> kept() const { return kept_; }
  /// Of a record of the whole batch, the one of batch() that has its tokens.
  [[nodiscard]] size_t index_in_batch(size_t record) const { return places_[record]; }

 private:
  const RecordBatch& whole_;
  std::optional<RecordBatch> part_;
  std::vector<size_t> kept_;
  std::vector<size_t> places_;  // [records of the whole]
};

}  // namespace summand::api
