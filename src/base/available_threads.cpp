#include "base/available_threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

namespace summand {

namespace {

namespace fs = std::filesystem;

int affinity_threads() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::optional<double> first_number(const fs::path& file) {
  std::ifstream in(file);
  double number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// `cpu.max` holds "quota period" or "max period", in microseconds.
std::optional<double> version_2_quota(const fs::path& group) {
  std::ifstream in(group / "cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  return std::stod(quota) / period;
}

std::optional<double> version_1_quota(const fs::path& group) {
  const auto quota = first_number(group / "cpu.cfs_quota_us");
  const auto period = first_number(group / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

void lower(std::optional<double>& least, std::optional<double> quota) {
  if (quota) least = std::min(least.value_or(*quota), *quota);
}

/// The least quota of this process's control group and of those above it, in CPUs.
std::optional<double> cgroup_quota() {
  std::optional<double> least;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    std::istringstream fields(line);
    std::string id;
    std::string controllers;
    std::string path;
    std::getline(fields, id, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    const bool version_2 = controllers.empty();
    if (!version_2 && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    const fs::path root = version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    for (fs::path group = fs::path(path).relative_path();; group = group.parent_path()) {
      lower(least, version_2 ? version_2_quota(root / group) : version_1_quota(root / group));
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace

int available_threads() {
  int threads = affinity_threads();
  if (const auto quota = cgroup_quota()) threads = std::min(threads, static_cast<int>(std::ceil(*quota)));
  return std::max(threads, 1);
}

}  // namespace summand
