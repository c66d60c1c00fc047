#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// BERT was trained for 90 % of its steps on sequences of 128 tokens: Devlin et al. 2019, section A.2.
inline constexpr Eigen::Index kShortSequence = 128;
/// Fewer rows than this make no part of their own.
inline constexpr Eigen::Index kLeastPart = 32;

/// Rows of the position table that are looked at by themselves.
struct PositionPart {
  std::string name;  ///< in results.json: "all"
  LocalizedText words;
  Table rows;
};

/// All rows, all but row 0 ([CLS] always stands there), those below 128, those from 128 on; the last two only where
/// each has 32 rows or more.
[[nodiscard]] std::vector<PositionPart> position_parts(const Table& positions);

}  // namespace summand::lab
