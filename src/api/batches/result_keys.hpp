#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/batches/record_batches.hpp"

namespace summand::api {

/// The cache keys of a batch's records: everything that determines their results, which is tokens and segments of their
/// sequences. (Positions count up from 0.)
class ResultKeys {
 public:
  explicit ResultKeys(const RecordBatch& batch);

  /// Two records have the same key if they have the same sequences.
  [[nodiscard]] std::span<const int32_t> of(size_t record) const {
    return std::span(numbers_).subspan(ends_[record], ends_[record + 1] - ends_[record]);
  }

 private:
  void add(const std::vector<int32_t>& values, size_t begin, size_t end);

  std::vector<int32_t> numbers_;
  std::vector<size_t> ends_{0};
};

/// Some records of a batch, for computing: sequences and texts without counts.
/// @param records  ascending
[[nodiscard]] RecordBatch subset(const RecordBatch& batch, std::span<const size_t> records);

}  // namespace summand::api
