#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lab/experiments/circle_readers/offset_attention.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/simultaneous.hpp"

namespace summand::lab::circle_readers {

/// A head, and how much more one plane moves it than another.
struct Lead {
  size_t head = 0;  ///< among those of all layers
  Estimate attention;
  Estimate logits;
};

/// Two planes and two heads of one layer: stopping the slower plane moves one of the heads more, stopping the faster
/// one the other. Heads that weigh all planes alike never cross in their logits, whatever their strengths: what plane c
/// does to head h is then a product a_h · b_c.
struct Crossing {
  size_t slower = 0;  ///< plane
  size_t faster = 0;
  Lead of_slower;  ///< the head that the slower one moves more
  Lead of_faster;  ///< and the other

  /// The smaller of both leads, in the share of attention that goes elsewhere.
  [[nodiscard]] Estimate attention() const;
  /// The same in logits, in nats.
  [[nodiscard]] Estimate logits() const;
};

/// Every pair of planes compared at every head, in attention and in logits, with intervals that hold all at once.
class Comparisons {
 public:
  /// @param planes  two or more, of the same windows and heads
  /// @param heads  of one layer
  Comparisons(std::span<const HeadEffects> planes, size_t heads, const Draws& draws);

  /// The largest crossing, in attention, of those whose leads are above 0 in attention and in logits; at the lower ends
  /// of their intervals, or in the middle where none is so. Nothing where no two heads cross.
  [[nodiscard]] std::optional<Crossing> crossing() const;
  /// The same in the middle, sure or not.
  [[nodiscard]] std::optional<Crossing> crossing_in_the_middle() const { return largest_crossing(Sure::in_the_middle); }
  /// The largest crossing that the intervals leave possible, in attention.
  [[nodiscard]] double possible() const;
  /// The head that a plane moves most more than any other plane does, in attention and in logits; a lead of 0 if there
  /// is none. Chosen as crossing() chooses.
  [[nodiscard]] Lead lead_of(size_t plane) const;
  /// The largest lead over all others that the intervals leave possible, in attention.
  [[nodiscard]] double possible_lead_of(size_t plane) const;

 private:
  enum class Measure { attention, logits };
  enum class Sure { at_lower_ends, in_the_middle };
  struct Heads {
    size_t first = 0;
    size_t end = 0;
  };
  [[nodiscard]] Estimate difference(size_t plane, size_t other, size_t head, Measure measure) const;
  /// Over one plane, or the least over all others.
  [[nodiscard]] Lead lead(size_t plane, std::span<const size_t> others, size_t head) const;
  /// Of the heads first … end − 1 the one with the largest lead. @param sure  at the lower ends
  [[nodiscard]] std::optional<Lead> largest_lead(size_t plane, std::span<const size_t> others, Heads heads,
                                                 Sure sure) const;
  [[nodiscard]] std::optional<Crossing> largest_crossing(Sure sure) const;
  [[nodiscard]] double possible_lead(size_t plane, std::span<const size_t> others, Heads heads) const;
  [[nodiscard]] Heads layer(size_t number) const { return {.first = number * heads_, .end = (number + 1) * heads_}; }
  [[nodiscard]] std::vector<size_t> all_but(size_t plane) const;

  size_t planes_;
  size_t layers_;
  size_t heads_;
  SimultaneousMeans means_;
};

}  // namespace summand::lab::circle_readers
