#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace summand {

/// Kernels that belong together, of those that a build holds.
struct KernelSetInfo {
  std::string name;                          ///< as SUMMAND_ISA takes it
  std::vector<std::string> lacks = {};       ///< what this machine has not and the set needs; empty: it runs here
  std::vector<std::string> precisions = {};  ///< that it computes in
  std::string int8_attention = {};           ///< what int8 computes attention in; empty where int8 does not run
  std::string automatic = {};                ///< what Precision::automatic takes of weights that are not in 8 bits
  std::string reason = {};                   ///< why: what was measured
};

/// What a bug report needs.
struct SystemInfo {
  std::string version;                             ///< of summand
  std::string compiler;                            ///< that built it, with its version
  std::string processor;                           ///< as the system names it, or "unknown"
  std::string instruction_set;                     ///< in use
  std::vector<std::string> instruction_sets = {};  ///< that this machine has
  std::vector<KernelSetInfo> kernel_sets = {};     ///< that this build holds, the one to prefer last
  std::string matrix_products = {};                ///< whose products run
  std::vector<std::string> precisions = {};        ///< that run: some of "fp32", "bf16", "fp16", "int8"
  std::string int8_attention = {};                 ///< what int8 computes attention in; empty where int8 does not run
  int threads = 0;                                 ///< that work on one call
  size_t l1_data_cache = 0;                        ///< bytes; 0: not known
  size_t l2_cache = 0;                             ///< bytes; 0: not known
  size_t l3_cache = 0;                             ///< bytes; 0: not known
};

/// Looks at this machine, and at what runs on it.
/// @param threads  as asked for; 0: what the cgroup quota and the affinity allow
/// @throws UsageError if the environment variable SUMMAND_ISA names an instruction set that this machine does not have
[[nodiscard]] SystemInfo system_info(int threads = 0);

}  // namespace summand
