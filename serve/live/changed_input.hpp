#pragma once

#include <cstdint>
#include <vector>

#include "api/inspection/parts.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/statistics/table.hpp"
#include "serve/live/look.hpp"
#include "summand/matrix.hpp"
#include "summand/taps.hpp"

namespace summand::serve::live {

/// The input of one text as a request changes it: for the forward pass, and taken apart.
class ChangedInput {
 public:
  /// @param tables    kept by reference, as is the request
  /// @param encoding  that fits the model, as does the request's order
  ChangedInput(const api::InputTables& tables, const text::Encoding& encoding, const LookRequest& request);

  /// Where rows are replaced; none where only the positions change, or nothing.
  [[nodiscard]] const std::vector<TapPoint>& points() const { return points_; }
  /// Replaces the rows at one of these points. @param values  [tokens, width]
  void replace(TapPoint point, MatrixView<float> values) const;

  /// [tokens, hidden], with noise
  [[nodiscard]] const lab::Table& sums() const { return sums_; }
  [[nodiscard]] SumInParts parts(size_t token) const;
  /// The normalised input as a sum of four parts, of which the common one holds the noise. @pre a sum of three tables
  [[nodiscard]] lab::PartTables normalised_parts(const lab::FirstNorm& norm) const;

 private:
  const api::InputTables& tables_;
  const LookRequest& request_;
  std::vector<TapPoint> points_;
  std::vector<api::InputInParts> inputs_;
  lab::Table noise_;  // [tokens, hidden]; no rows without noise
  lab::Table sums_;
};

}  // namespace summand::serve::live
