#pragma once

#include <cstddef>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/words.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace removed_components {

/// Of the positions, which components that tell them apart have to.
inline constexpr double kToldApart = 0.99;

}  // namespace removed_components

/// A position table with some of it taken away. The mean row always stays.
class PositionPieces {
 public:
  explicit PositionPieces(Table table);

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] size_t components() const { return static_cast<size_t>(components_.shares.size()); }
  /// Of a component in the centred table's variance.
  [[nodiscard]] double share(size_t component) const {
    return components_.shares(static_cast<Eigen::Index>(component));
  }
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
  Table table_;
  PrincipalComponents components_;
};

/// Curves along positions of a range of periods.
struct Band {
  size_t first = 1;  ///< cycles over the whole table
  size_t last = 1;   ///< included
  Words words;       ///< "periods of 64 to 128 positions"
};

/// Octaves of periods, the longest first; together every curve that is not constant.
[[nodiscard]] std::vector<Band> bands_of(size_t positions);
/// What a band has of the table, and the table without it.
struct BandPiece {
  Table without;
  double share = 0;  ///< of the centred table's energy
};
[[nodiscard]] BandPiece without_band(const Table& table, const Band& band);

}  // namespace summand::lab
