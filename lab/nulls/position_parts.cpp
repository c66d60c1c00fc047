#include "lab/nulls/position_parts.hpp"

namespace summand::lab {

std::vector<PositionPart> position_parts(const Table& positions) {
  const Eigen::Index rows = positions.rows();
  std::vector<PositionPart> parts{{"all", {"all positions", "全部位置"}, positions}};
  if (rows > kLeastPart) {
    parts.push_back({"without_row_0", {"without position 0", "不含位置 0"}, positions.bottomRows(rows - 1)});
  }
  if (rows >= kShortSequence + kLeastPart) {
    parts.push_back({"below_128", {"positions below 128", "位置 <128"}, positions.topRows(kShortSequence)});
    parts.push_back({"from_128", {"positions from 128 on", "位置 ≥128"}, positions.bottomRows(rows - kShortSequence)});
  }
  return parts;
}

}  // namespace summand::lab
