#pragma once

#include <filesystem>
#include <optional>

namespace summand {

/// How many threads this process may keep busy: the smaller of its CPU affinity and its cgroup's quota (rounded up), at
/// least 1. Reads cgroup v2 (`cpu.max`, every level up to the root) and v1 (`cpu.cfs_quota_us`).
[[nodiscard]] int available_threads();

/// The least quota of a process's control group and of those above it, in processors; nothing where there is none.
/// @param groups   the process's file of groups, /proc/self/cgroup
/// @param mounted  where the groups are mounted, /sys/fs/cgroup; those of version 1 below `cpu`
[[nodiscard]] std::optional<double> cpu_quota(const std::filesystem::path& groups,
                                              const std::filesystem::path& mounted);

/// @param processors  that the process may run on
/// @return how many threads a quota keeps busy there, at least 1
[[nodiscard]] int threads_within(int processors, std::optional<double> quota);

}  // namespace summand
