#pragma once

#include <array>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

using FloatTable = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// In which order the three tables lie in the stacked one: the product adds their rows in this order.
enum class Stacking {
  document,  ///< token, position, segment
  bert,      ///< token, segment, position, as google-research/bert and the engine add
};

/// Where the position's one stands; a wrong place is a null.
enum class Placing { right, next_position };

/// Three tables in one, and where each begins.
class Stacked {
 public:
  Stacked(const Table& tokens, const Table& positions, const Table& segments, Stacking stacking);

  /// The concatenated one-hot vector of an item times this table in single precision, every row multiplied, row after
  /// row. @return [hidden]
  [[nodiscard]] Eigen::RowVectorXf product(const SumItem& item, Placing placing) const;

 private:
  FloatTable rows_;
  Eigen::Index position_ = 0;
  Eigen::Index positions_ = 0;
  Eigen::Index segment_ = 0;
};

/// What the engine adds, [items, hidden], caught behind the sum. @pre the model has a row for every item
[[nodiscard]] FloatTable engine_sums(const engine::Engine& engine, const std::vector<SumItem>& items);

/// How far one-hot products lie from the engine's sums.
struct Differences {
  double units = 0;                     ///< the largest, in units in the last place of the largest of the three addends
  std::array<double, 4> coordinates{};  ///< share of coordinates 0, 1, 2, and 3 or more representable numbers apart
};

/// Three tables, and what was added of them.
struct Comparison {
  const Table& tokens;
  const Table& positions;
  const Table& segments;
  const std::vector<SumItem>& items;
  const FloatTable& sums;  ///< [items, hidden]

  [[nodiscard]] Differences with(Stacking stacking, Placing placing = Placing::right) const;
  /// Both orders in double precision, where three single-precision numbers add almost without rounding: the largest
  /// difference in the same units.
  [[nodiscard]] double exact() const;

 private:
  [[nodiscard]] double unit(const SumItem& item, Eigen::Index column) const;
};

}  // namespace summand::lab
