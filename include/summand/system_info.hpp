#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace summand {

/// One set of kernels of this build.
struct KernelSetInfo {
  std::string name;                          ///< its name in SUMMAND_ISA
  std::vector<std::string> lacks = {};       ///< features that it needs and this machine lacks; empty: it runs here
  std::vector<std::string> precisions = {};  ///< that it supports
  std::string int8_attention = {};           ///< precision of attention with int8; empty if int8 does not run
  std::string automatic = {};                ///< what Precision::automatic chooses for weights that are not in 8 bits
  std::string reason = {};                   ///< why: the measurement
};

/// Information for a bug report.
struct SystemInfo {
  std::string version;                             ///< of summand
  std::string compiler;                            ///< with its version
  std::string processor;                           ///< its name by the system, or "unknown"
  std::string instruction_set;                     ///< in use
  std::vector<std::string> instruction_sets = {};  ///< that this machine supports
  std::vector<KernelSetInfo> kernel_sets = {};     ///< of this build, the preferred one last
  std::string matrix_products = {};                ///< library of the matrix products
  std::vector<std::string> precisions = {};        ///< that run here: some of "fp32", "bf16", "fp16", "int8"
  std::string int8_attention = {};                 ///< precision of attention with int8; empty if int8 does not run
  int threads = 0;                                 ///< for one call
  size_t l1_data_cache = 0;                        ///< bytes; 0: not known
  size_t l2_cache = 0;                             ///< bytes; 0: not known
  size_t l3_cache = 0;                             ///< bytes; 0: not known
};

/// Describes this machine and what runs on it.
/// @param threads  0: as many as the cgroup quota and the CPU affinity allow
/// @throws UsageError if the environment variable SUMMAND_ISA names an instruction set that this machine lacks
[[nodiscard]] SystemInfo system_info(int threads = 0);

}  // namespace summand
