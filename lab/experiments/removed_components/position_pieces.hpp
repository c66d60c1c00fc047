#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace removed_components {

/// Of the positions, which components that tell them apart have to.
inline constexpr double kToldApart = 0.99;
inline constexpr int kNoiseDraws = 3;  // that they are told apart under, together

}  // namespace removed_components

/// A position table with some of its rows' deviations taken away. Their mean row always stays, and so do the rows that
/// are kept as they are.
class PositionPieces {
 public:
  /// @param kept  rows without a part in it, lowest first: row 0, which is a constant where [CLS] stands, and rows that
  ///   stand out, which would have components of their own @pre at least two others, which differ
  PositionPieces(Table table, std::vector<size_t> kept);

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] const std::vector<size_t>& kept() const { return kept_; }
  [[nodiscard]] size_t components() const { return static_cast<size_t>(components_.shares.size()); }
  /// Of a component in the rows' variance.
  [[nodiscard]] double share(size_t component) const {
    return components_.shares(static_cast<Eigen::Index>(component));
  }
  /// Of the first components together.
  [[nodiscard]] double share_of_first(size_t count) const;
  /// Which row owns most of a component's variance, and how much of it.
  struct Owner {
    size_t row = 0;
    double share = 0;
  };
  [[nodiscard]] Owner owner(size_t component) const;
  /// Without one principal component.
  [[nodiscard]] Table without(size_t component) const;
  /// With the first components alone; 0 leaves the mean row.
  [[nodiscard]] Table first_components(size_t count) const;
  /// With the deviations of the first coordinates alone.
  [[nodiscard]] Table first_coordinates(size_t count) const;
  /// How many of the first components tell positions apart: rows disturbed by noise of a tenth of their spread, in all
  /// dimensions alike, are nearest to themselves in 99 % of cases. All of them, if 63 do not.
  [[nodiscard]] size_t telling_apart(RandomStream& stream) const;

 private:
  /// The table with these in the place of the rows that are not kept.
  [[nodiscard]] Table with_rows(const Table& rows) const;

  Table table_;
  std::vector<size_t> kept_;
  std::vector<Eigen::Index> rows_;  // those that are not kept
  PrincipalComponents components_;  // of these
};

/// Curves along positions of a range of periods.
struct Band {
  size_t first = 1;     ///< cycles over the whole table
  size_t last = 1;      ///< included
  LocalizedText words;  ///< "periods of 64 to 128 positions"
};

/// Octaves of periods, the longest first; together every curve that is not constant.
[[nodiscard]] std::vector<Band> bands_of(size_t positions);
/// What a band has of the table, and the table without it.
struct BandPiece {
  Table without;
  double share = 0;  ///< of the centred table's energy
};
/// @param kept  rows that stay as they are, lowest first: an impulse has a part in every band. For the curves, what
/// lies
///   between their neighbours stands in their places
[[nodiscard]] BandPiece without_band(const Table& table, const Band& band, std::span<const size_t> kept = {});

}  // namespace summand::lab
