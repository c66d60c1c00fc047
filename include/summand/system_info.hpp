#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace summand {

/// What a bug report needs.
struct SystemInfo {
  std::string version;                             ///< of summand
  std::string compiler;                            ///< that built it, with its version
  std::string processor;                           ///< as the system names it, or "unknown"
  std::string instruction_set;                     ///< in use
  std::vector<std::string> instruction_sets = {};  ///< that this machine has
  std::string matrix_products = {};                ///< whose products run
  std::vector<std::string> precisions = {};        ///< that run: some of "fp32", "bf16", "int8"
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
