#pragma once

#include <string>
#include <utility>
#include <vector>

namespace summand {

/// What a bug report needs, as (name, value): version, instruction set in use and those available, matrix product
/// library, threads, processor and caches.
/// @param threads  as asked for; 0: what the cgroup quota and the affinity allow
/// @throws UsageError if the environment variable SUMMAND_ISA names an instruction set that this machine does not have
[[nodiscard]] std::vector<std::pair<std::string, std::string>> system_info(int threads = 0);

}  // namespace summand
