#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Whether rows are raw or centred. A common vector added to every row changes no probability, because it adds the same
/// number to every logit; but it can change which row is nearest. Centring removes it.
enum class Origin { raw, centred };

/// Rows of a decoder, each scaled; the winner of a vector x is the largest row · x + bias.
struct DecoderRows {
  const Table& rows;  ///< [vocabulary, hidden]
  Vector scale;       ///< [vocabulary]
  Vector bias;        ///< [vocabulary]
  Origin origin = Origin::raw;

  /// Of the scaled rows.
  [[nodiscard]] Vector norms() const;
};

/// Whether a vector's winner is the nearest row: with the bias and without it, by cosine and by distance. Rows as near
/// but for rounding count as nearest.
struct Nearest {
  bool cosine = false;
  bool distance = false;
  bool cosine_without_bias = false;
  bool distance_without_bias = false;
  /// Fraction of the other rows whose logit, bias included, is below that of the row nearest by cosine.
  double fraction_below = 0;
};

/// One product with the rows serves every set of scaled rows. @param sets  of the same rows
/// @param vectors  [vectors, hidden]
/// @return [sets][vectors]
[[nodiscard]] std::vector<std::vector<Nearest>> nearest_rows(const Table& vectors,
                                                             const std::vector<DecoderRows>& sets);

/// Deviation of the logits without bias over the vocabulary, mean over the vectors.
[[nodiscard]] double deviation_of_logits(const Table& vectors, const Table& rows);

}  // namespace summand::lab
