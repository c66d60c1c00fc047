// Not compiled here: by Apple's documentation of each call.
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <thread>

#include "base/platform.hpp"

namespace summand {

namespace {

size_t number(const char* name) {
  int64_t value = 0;
  size_t size = sizeof(value);
  return ::sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value > 0 ? static_cast<size_t>(value) : 0;
}

FileTime time_of(const struct timespec& time) {
  return {.seconds = time.tv_sec, .nanoseconds = time.tv_nsec};
}

}  // namespace

int allowed_processors() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::filesystem::path program_path() {
  uint32_t size = 0;
  static_cast<void>(_NSGetExecutablePath(nullptr, &size));
  std::string path(size, '\0');
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  std::error_code unknown;
  return std::filesystem::canonical(path.c_str(), unknown);
}

std::string processor_name() {
  std::array<char, 256> name{};
  size_t size = name.size() - 1;
  return ::sysctlbyname("machdep.cpu.brand_string", name.data(), &size, nullptr, 0) == 0 ? name.data() : "unknown";
}

CacheSizes cache_sizes() {
  return {.l1_data = number("hw.l1dcachesize"), .l2 = number("hw.l2cachesize"), .l3 = number("hw.l3cachesize")};
}

int open_waking_pipe(std::array<int, 2>& ends) {
  if (::pipe(ends.data()) != 0) return -1;
  for (const int end : ends) {
    static_cast<void>(::fcntl(end, F_SETFD, FD_CLOEXEC));
    static_cast<void>(::fcntl(end, F_SETFL, O_NONBLOCK));
  }
  return 0;
}

int bring_to_disk(int descriptor) {
  // fsync() leaves it in the disk's own memory; not every file system knows the other.
  return ::fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : ::fsync(descriptor);
}

FileTime modification_time(const struct stat& status) {
  return time_of(status.st_mtimespec);
}

FileTime change_time(const struct stat& status) {
  return time_of(status.st_ctimespec);
}

}  // namespace summand
