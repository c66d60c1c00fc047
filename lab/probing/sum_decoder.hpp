#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "lab/probing/input_parts.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Single precision, for products with whole vocabularies.
using FloatTable = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What the decoder is shown.
enum class Seen {
  sum,         ///< the sum itself: the nearest combination by distance
  normalised,  ///< its coordinates less their mean, over their deviation: the nearest by cosine
};

/// How one vector is decoded.
struct Decoded {
  SumItem other;       ///< of all combinations but the true one, the nearest
  double margin = 0;   ///< how much farther that one is than the true one, relative to the length of what was seen
  bool exact = false;  ///< the true one is nearest, strictly: equal rows decode nothing
  bool token = false;  ///< the nearest has the true token; so below
  bool position = false;
  bool segment = false;
};

/// The fraction of vectors whose token, position and segment are all found.
[[nodiscard]] double exact_rate(std::span<const Decoded> decoded);

/// Finds token, position and segment of a vector among all combinations of three tables, exactly: the squared distance
/// of x from W_t + Q_j, Q the sums of positions and segments, is ‖W_t‖² + ‖Q_j‖² + 2 W_t·Q_j − 2 x·W_t − 2 x·Q_j, and
/// the products are made once for all vectors, and a token is passed over where the triangle inequality says that no
/// Q_j brings it nearer than what was found. Distances are searched in float; the two that decide are taken in double.
class SumDecoder {
 public:
  SumDecoder(const Table& tokens, const Table& positions, const Table& segments);

  /// The sums of these combinations, [items, hidden]; under Seen::normalised without mean and of deviation 1.
  [[nodiscard]] FloatTable seen(std::span<const SumItem> items, Seen what) const;
  /// @param vectors  [items, hidden]: what seen() gave, with whatever was done to it
  /// @return one for each of `truth`; independent of `threads`
  [[nodiscard]] std::vector<Decoded> decode(const FloatTable& vectors, std::span<const SumItem> truth, Seen what,
                                            int threads) const;

 private:
  struct Tables;
  [[nodiscard]] Tables tables(Seen what) const;
  [[nodiscard]] Eigen::Index joint(const SumItem& item) const { return item.position * segments_ + item.segment; }

  Eigen::Index segments_ = 0;
  FloatTable tokens_;  ///< [vocabulary, hidden], centred
  FloatTable joint_;   ///< [positions · segments, hidden], centred
  Eigen::RowVectorXf common_;
};

}  // namespace summand::lab
