#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/platform.hpp"

namespace summand {

namespace {

size_t configured(int name) {
  const long bytes = ::sysconf(name);
  return bytes > 0 ? static_cast<size_t>(bytes) : 0;
}

FileTime time_of(const struct timespec& time) {
  return {.seconds = time.tv_sec, .nanoseconds = time.tv_nsec};
}

}  // namespace

int allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::filesystem::path program_path() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> first;  // fields of the first processor, by the system's names
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    first.try_emplace(line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1), line.substr(colon + 2));
  }
  // Those who rent a machine out write a name that tells little; kinds are told by the numbers.
  std::string name = first["model name"];
  for (const auto& [key, said] : {std::pair("cpu family", "family"), std::pair("model", "model"),
                                  std::pair("CPU implementer", "implementer"), std::pair("CPU part", "part")}) {
    if (first[key].empty()) continue;
    name += (name.empty() ? "" : ", ") + std::string(said) + " " + first[key];
  }
  return name.empty() ? "unknown" : name;
}

CacheSizes cache_sizes() {
  return {.l1_data = configured(_SC_LEVEL1_DCACHE_SIZE),
          .l2 = configured(_SC_LEVEL2_CACHE_SIZE),
          .l3 = configured(_SC_LEVEL3_CACHE_SIZE)};
}

int open_waking_pipe(std::array<int, 2>& ends) {
  return ::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK);
}

int bring_to_disk(int descriptor) {
  return ::fdatasync(descriptor);
}

FileTime modification_time(const struct stat& status) {
  return time_of(status.st_mtim);
}

FileTime change_time(const struct stat& status) {
  return time_of(status.st_ctim);
}

}  // namespace summand
