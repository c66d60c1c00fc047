#include "base/available_threads.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

namespace fs = std::filesystem;

/// Files as the kernel shows them, below a folder that is removed at the end.
class Groups {
 public:
  explicit Groups(const std::string& own)
      : folder_(fs::temp_directory_path() / ("summand_groups_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    write("self", own);
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  ~Groups() { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << content << '\n';
  }
  [[nodiscard]] std::optional<double> quota() const { return summand::cpu_quota(folder_ / "self", folder_ / "groups"); }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("without a quota there is none") {
  const Groups groups("0::/user/one");
  CHECK_FALSE(groups.quota());
  groups.write("groups/user/one/cpu.max", "max 100000");
  CHECK_FALSE(groups.quota());
  groups.write("groups/user/one/cpu.max", "nonsense");
  CHECK_FALSE(groups.quota());
}

TEST_CASE("of a group and those above it the least quota holds, in version 2") {
  const Groups groups("0::/user/one");
  groups.write("groups/user/one/cpu.max", "400000 100000");
  CHECK(groups.quota() == 4.0);
  groups.write("groups/user/cpu.max", "75000 50000");
  CHECK(groups.quota() == 1.5);
  groups.write("groups/cpu.max", "20000 100000");
  CHECK(groups.quota() == 0.2);
}

TEST_CASE("a container that sees its own group as the root has that one's quota") {
  const Groups groups("0::/");
  groups.write("groups/cpu.max", "250000 100000");
  CHECK(groups.quota() == 2.5);
}

TEST_CASE("version 1 has a quota of -1 where there is none, and only the group of the processor counts") {
  const Groups groups("5:memory:/other\n4:cpu,cpuacct:/one");
  groups.write("groups/cpu/one/cpu.cfs_period_us", "100000");
  groups.write("groups/cpu/one/cpu.cfs_quota_us", "-1");
  groups.write("groups/cpu/other/cpu.cfs_period_us", "100000");
  groups.write("groups/cpu/other/cpu.cfs_quota_us", "10000");
  CHECK_FALSE(groups.quota());
  groups.write("groups/cpu/one/cpu.cfs_quota_us", "300000");
  CHECK(groups.quota() == 3.0);
}

TEST_CASE("a quota is rounded up, to one thread at least and as many as there are processors at most") {
  CHECK(summand::threads_within(8, {}) == 8);
  CHECK(summand::threads_within(8, 2.5) == 3);
  CHECK(summand::threads_within(8, 0.2) == 1);
  CHECK(summand::threads_within(8, 8.0) == 8);
  CHECK(summand::threads_within(2, 1e30) == 2);
}

TEST_CASE("at least one thread is available, and no more than the machine has") {
  CHECK(summand::available_threads() >= 1);
  CHECK(summand::available_threads() <= static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

TEST_CASE("a thread that may run on one processor has one thread") {
  int threads = 0;
  std::thread([&] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    CPU_SET(static_cast<size_t>(::sched_getcpu()), &allowed);
    if (::sched_setaffinity(0, sizeof allowed, &allowed) == 0) threads = summand::available_threads();
  }).join();
  CHECK(threads == 1);
}
