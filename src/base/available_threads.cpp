#include "base/available_threads.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "base/platform.hpp"

namespace summand {

namespace {

namespace fs = std::filesystem;

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

}  // namespace

std::optional<double> cpu_quota(const fs::path& groups, const fs::path& mounted) {
  std::optional<double> least;
  std::ifstream in(groups);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string id;
    std::string controllers;
    std::string path;
    std::getline(fields, id, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    const bool version_2 = controllers.empty();
    if (!version_2 && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    const fs::path root = version_2 ? mounted : mounted / "cpu";
    for (fs::path group = fs::path(path).relative_path();; group = group.parent_path()) {
      lower(least, version_2 ? version_2_quota(root / group) : version_1_quota(root / group));
      if (group.empty()) break;
    }
  }
  return least;
}

int threads_within(int processors, std::optional<double> quota) {
  const int whole = quota ? static_cast<int>(std::ceil(std::min(*quota, static_cast<double>(processors)))) : processors;
  return std::max(std::min(processors, whole), 1);
}

int available_threads() {
  return threads_within(allowed_processors(), cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace summand
