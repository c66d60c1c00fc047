#include "lab/nulls/position_parts.hpp"

#include <utility>

#include "lab/core/localize.hpp"

namespace summand::lab {

std::vector<PositionPart> position_parts(const Table& positions) {
  const Eigen::Index rows = positions.rows();
  std::vector<PositionPart> parts;
  const auto add = [&](const std::string& name, Table part) {
    parts.push_back({name, localize("nulls.position_parts." + name, {{"short", kShortSequence}}), std::move(part)});
  };
  add("all", positions);
  if (rows > kLeastPart) add("without_row_0", positions.bottomRows(rows - 1));
  if (rows >= kShortSequence + kLeastPart) {
    add("below_128", positions.topRows(kShortSequence));
    add("from_128", positions.bottomRows(rows - kShortSequence));
  }
  return parts;
}

}  // namespace summand::lab
