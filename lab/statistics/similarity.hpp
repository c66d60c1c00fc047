#pragma once

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Linear centred kernel alignment of two descriptions of the same items: ‖XᵀY‖² / (‖XᵀX‖·‖YᵀY‖), columns centred.
/// 1 if one is the other rotated, scaled and moved.
/// @throws UsageError if the rows differ in number, or either table's rows are all equal
/// Source: Kornblith et al. 2019, section 3
[[nodiscard]] double linear_cka(const Table& a, const Table& b);

}  // namespace summand::lab
