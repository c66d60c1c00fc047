#pragma once

#include <optional>

#include "engine/kernels/kernel_set.hpp"
#include "engine/kernels/precision.hpp"

namespace summand::engine {

/// Whether a set has products of that precision; fp32 runs everywhere.
[[nodiscard]] bool runs(Precision precision, const KernelSet& set);

/// @return null for precisions that are not of 16 bits, and where the set has none
[[nodiscard]] const HalfKernels* half_kernels(Precision precision, const KernelSet& set);

/// The row of the set's table that is of this kind of processor: the same on the same machine always.
[[nodiscard]] const Preference& preference(const KernelSet& set);

/// Precision of attention between tokens: for int8 the preferred one here.
[[nodiscard]] Precision attention_precision(Precision precision, const KernelSet& set);

/// @throws UsageError saying which sets have it if it does not run
void check_runs(Precision precision, const KernelSet& set);

}  // namespace summand::engine
