#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/removed_components/position_pieces.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// How much of what all deviations of the position rows do is left with some of them: 1 − change over the change that
/// removing all of them makes. The interval is over texts.
using Kept = Estimate;

/// The model with a table of positions, and what taking pieces of the table away does to its output.
class PieceBench {
 public:
  /// @param subject, conditions  keeps references to them
  /// @param pieces  of the table
  PieceBench(const Subject& subject, const Conditions& conditions, PositionPieces pieces, const Texts& texts,
             Draws draws);

  [[nodiscard]] const PositionPieces& pieces() const { return pieces_; }
  [[nodiscard]] bool has_loss() const { return undisturbed_.has_loss(); }
  [[nodiscard]] OutputChange change(const Table& positions, CompareStates states = CompareStates::skip) const;
  /// Every row that is not kept the mean of these.
  [[nodiscard]] const OutputChange& all_removed() const { return all_; }
  /// @param positions  the table with some of its deviations
  [[nodiscard]] Kept kept(const Table& positions) const;
  /// With the first components of the whole table. Measured once.
  [[nodiscard]] Kept kept_by(size_t components) const;
  /// The same of what it does to the masked-language loss. @pre has_loss()
  [[nodiscard]] Kept kept_of_loss(size_t components) const;
  /// With the first components of the rows that the texts use, beside what removing all of those does; all where these
  /// do not differ.
  [[nodiscard]] Kept kept_in_use(size_t components) const;
  /// With the first components where ordinary tokens stand: special ones read the table as it is.
  [[nodiscard]] Kept kept_for_words(size_t components) const;

 private:
  [[nodiscard]] Undisturbed undisturbed(const Texts& texts) const;
  [[nodiscard]] Kept kept_of(const OutputChange& change, const OutputChange& all) const;

  const Subject& subject_;
  const Conditions& conditions_;
  Draws draws_;
  PositionPieces pieces_;
  std::vector<bool> special_;  // [tokens]
  Undisturbed undisturbed_;
  OutputChange all_;
  size_t in_use_ = 0;  // rows
  mutable std::map<size_t, Kept> kept_by_;
};

}  // namespace summand::lab
