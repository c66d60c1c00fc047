#pragma once

#include <filesystem>
#include <optional>

namespace summand {

/// How many threads this process may keep busy: the smaller of its CPU affinity and its cgroup's quota (rounded up), at
/// least 1. Reads cgroup v2 (`cpu.max`, every level up to the root) and v1 (`cpu.cfs_quota_us`).
[[nodiscard]] int available_threads();

/// The smallest quota of a process's cgroup and its parents, in processors; nothing if there is none.
/// @param groups   the list of the process's groups, /proc/self/cgroup
/// @param mounted  mount point of the groups, /sys/fs/cgroup; version 1 is below `cpu`
[[nodiscard]] std::optional<double> cpu_quota(const std::filesystem::path& groups,
                                              const std::filesystem::path& mounted);

/// @param processors  that the process may run on
/// @return number of threads that the quota allows, at least 1
[[nodiscard]] int threads_within(int processors, std::optional<double> quota);

}  // namespace summand
