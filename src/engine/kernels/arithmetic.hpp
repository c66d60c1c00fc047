#pragma once

#include "engine/kernels/kernel_set.hpp"
#include "engine/kernels/precision.hpp"
#include "engine/kernels/set_precisions.hpp"

namespace summand::engine {

/// The precision that a network computes in, and the kernels for it.
struct Arithmetic {
  Precision precision;
  Precision attention;  ///< of 32 or 16 bits
  const KernelSet* set;
  const SinglePrecisionKernels* kernels;  ///< of everything in single precision
  const HalfKernels* half;                ///< of everything in 16 bits; null where there is nothing
  const Int8Kernels* int8;                ///< null where the set has none

  /// @throws UsageError if the set has no products of that precision
  Arithmetic(Precision wanted, const KernelSet& chosen)
      : precision(wanted),
        attention(attention_precision(wanted, chosen)),
        set(&chosen),
        kernels(chosen.single_precision),
        half(half_kernels(attention, chosen)),
        int8(chosen.int8) {
    check_runs(wanted, chosen);
  }
};

}  // namespace summand::engine
