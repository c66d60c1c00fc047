#pragma once

namespace summand {

/// How many threads this process may keep busy: the smaller of its CPU affinity and its cgroup's quota (rounded up), at
/// least 1. Reads cgroup v2 (`cpu.max`, every level up to the root) and v1 (`cpu.cfs_quota_us`).
[[nodiscard]] int available_threads();

}  // namespace summand
