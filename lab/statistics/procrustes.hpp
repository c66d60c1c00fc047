#pragma once

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The orthogonal R, rotation or reflection, that makes ‖from · R − to‖ smallest.
/// @return [columns, columns] @throws UsageError if the two differ in shape
/// Source: Schönemann 1966
[[nodiscard]] Table orthogonal_procrustes(const Table& from, const Table& to);

}  // namespace summand::lab
