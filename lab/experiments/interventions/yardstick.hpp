#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lab/probing/output_change.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

/// What a change is worth in replaced words: each text's over what replacing one of its words does, so that short and
/// long texts count alike; over texts the geometric mean.
class Yardstick {
 public:
  /// @param words  draw by draw, what a replaced word of each text changes
  explicit Yardstick(std::vector<OutputChange> words) : words_(std::move(words)) {}

  /// Over draws.
  [[nodiscard]] OutputChange mean() const { return mean_of(words_); }
  /// @param texts  by number, which may repeat
  [[nodiscard]] double worth(std::span<const double> changes, std::span<const size_t> texts) const;
  /// Over texts, and over draws of words. Nothing of fewer than kLeastResampled texts.
  [[nodiscard]] std::optional<Interval> interval(std::span<const double> changes, std::span<const size_t> texts,
                                                 const Draws& draws) const;

 private:
  [[nodiscard]] double worth(std::span<const double> changes, std::span<const size_t> texts,
                             std::span<const size_t> words) const;

  std::vector<OutputChange> words_;
};

/// 0 … count − 1.
[[nodiscard]] std::vector<size_t> first_numbers(size_t count);

}  // namespace summand::lab
