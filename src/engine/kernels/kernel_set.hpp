#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/dots.hpp"
#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/precision.hpp"
#include "engine/kernels/single_precision.hpp"

namespace summand::engine {

/// A feature that a processor and its operating system have or lack.
struct Feature {
  std::string_view name;
  bool (*is_present)() = nullptr;
};

/// The choice of `auto` on one kind of processor.
struct Preference {
  bool (*is_kind)() = nullptr;  ///< whether this machine is of that kind; null: every machine is
  Precision floating =
      Precision::fp32;  ///< for floating-point checkpoints: the fastest with an error no larger than bf16's
  Precision int8_attention = Precision::fp32;  ///< precision of attention with int8
  std::string_view reason;                     ///< the measurement
};

/// Kernels that are chosen together, and the features they need. A set names features, never another set: processors
/// have no linear order.
struct KernelSet {
  std::string_view name;
  std::span<const Feature> needs = {};
  const SinglePrecisionKernels* single_precision = nullptr;  ///< never null
  const HalfKernels* bf16 = nullptr;                         ///< null: no products in bf16
  const HalfKernels* fp16 = nullptr;                         ///< likewise
  const Int8Kernels* int8 = nullptr;                         ///< null: no products of bytes
  const DotKernels* dots = nullptr;                          ///< never null
  std::span<const Preference> preferences = {};              ///< the first matching entry applies
  void (*begin_work)() = nullptr;  ///< on a thread, before its first kernel; null: nothing to do
  void (*end_work)() = nullptr;    ///< on a thread, after its last one
};

/// A thread's time with the kernels of a set.
class KernelScope {
 public:
  explicit KernelScope(const KernelSet& set) : set_(set) {
    if (set_.begin_work != nullptr) set_.begin_work();
  }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;
  ~KernelScope() {
    if (set_.end_work != nullptr) set_.end_work();
  }

 private:
  const KernelSet& set_;
};

/// A pause in it, for code of others that may use the same registers.
class KernelPause {
 public:
  explicit KernelPause(const KernelSet& set) : set_(set) {
    if (set_.end_work != nullptr) set_.end_work();
  }
  KernelPause(const KernelPause&) = delete;
  KernelPause& operator=(const KernelPause&) = delete;
  ~KernelPause() {
    if (set_.begin_work != nullptr) set_.begin_work();
  }

 private:
  const KernelSet& set_;
};

/// The sets that this build holds, the one to prefer last. Each architecture has a list of its own, in
/// kernels/<architecture>/list.cpp, of which the build takes one.
[[nodiscard]] std::span<const KernelSet> kernel_sets();

/// Names of a set's features that this processor and its system lack; empty if the set runs.
[[nodiscard]] std::vector<std::string_view> lacking(const KernelSet& set);

/// The sets that run here, the one to prefer last. Decided by features, never by a processor's maker.
[[nodiscard]] std::vector<const KernelSet*> available_kernel_sets();

/// @return null if this build has no set of that name
[[nodiscard]] const KernelSet* kernel_set_named(std::string_view name);

/// The one to prefer of those that run here, or the one that the environment variable SUMMAND_ISA names; read once per
/// process.
/// @throws UsageError naming the choices if the variable holds anything else than an available one
[[nodiscard]] const KernelSet& chosen_kernel_set();

}  // namespace summand::engine
