#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "api/embedder.hpp"
#include "api/loaded_model.hpp"
#include "base/error.hpp"
#include "io/files.hpp"
#include "support/one_line.hpp"
#include "trust/damage.hpp"
#include "trust/live_bytes.hpp"
#include "trust/valid_checkpoints.hpp"

// Is called by a sanitizer before it ends the process; there only in its builds.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

using namespace summand;
using namespace summand::trust;

namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint32_t kRounds = 1000;  // each costs ten times as much
constexpr uint32_t kStep = 10;
constexpr long kLongestSeconds = 200;
#else
constexpr uint32_t kRounds = 10'000;
constexpr uint32_t kStep = 1;         // of the values replaced in turn, one in so many
constexpr long kLongestSeconds = 20;  // of processor time, so that a busy machine changes nothing
#endif
constexpr size_t kMostMemory = 100'000'000;  // beside the directory's own size

/// Says which seed a process ended with, whatever ended it. Only what a signal handler may call.
std::array<char, 200> last_words{};

void say_last_words() {
  const size_t length = std::find(last_words.begin(), last_words.end(), '\0') - last_words.begin();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, last_words.data(), length);
}

void end(int signal_number) {
  say_last_words();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void watch() {
  std::signal(SIGPROF, end);
  std::signal(SIGALRM, end);
  if (__sanitizer_set_death_callback) {
    __sanitizer_set_death_callback(say_last_words);
    return;
  }
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal_number, end);
}

/// A directory in memory where the system has one.
class Directory {
 public:
  Directory() {
    const fs::path root = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string pattern = (root / "summand-trust-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

  void fill(const Damaged& damaged) {
    fs::remove_all(path_);
    fs::create_directories(path_);
    for (const auto& [name, bytes] : damaged.files) io::test::write_file(path_ / name, bytes);
    const fs::path removed = path_ / damaged.removed_for;
    switch (damaged.instead) {
      case Damaged::Instead::nothing:
        return;
      case Damaged::Instead::directory:
        fs::create_directories(removed);
        return;
      case Damaged::Instead::loop:
        fs::create_directories(removed.parent_path());
        fs::create_symlink(removed.filename(), removed);
    }
  }

 private:
  fs::path path_;
};

/// Ends the process after so many seconds of work, or many more of waiting; 0 takes it back.
void limit_time(long seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(static_cast<unsigned>(30 * seconds));
}

size_t size_of(const Files& files) {
  size_t bytes = 0;
  for (const auto& [name, content] : files) bytes += content.size();
  return bytes;
}

struct Outcome {
  std::string message;  ///< of the error, or "" where it loaded
  size_t memory = 0;    ///< most at once, in bytes
  double seconds = 0;
};

void load_and_run(const fs::path& path) {
  const auto model = api::LoadedModel::load(path.string(), {.threads = 1});
  for (const auto& notice : model.checkpoint().notices) CHECK_MESSAGE(test::is_one_line(notice), notice);
  for (const auto& notice : model.tokenizer().notices()) CHECK_MESSAGE(test::is_one_line(notice), notice);
  const api::Embedder embedder(model, {});
  text::InputRecord record;
  record.text = "Hello, unaffable [MASK] 中 é x";
  const auto vectors = embedder.embed({&record, 1}).vectors;
  CHECK(vectors.columns() == embedder.width());
}

/// Anything but success or an Error of ours leaves the test.
Outcome outcome_of(const fs::path& path) {
  Outcome outcome;
  const auto start = std::chrono::steady_clock::now();
  const size_t before = live_bytes();
  start_peak();
  limit_time(kLongestSeconds);
  try {
    load_and_run(path);
  } catch (const Error& error) {
    outcome.message = error.what();
  }
  limit_time(0);
  outcome.memory = peak_bytes() - before;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

/// Loads one directory after another and keeps what they had in common, for people.
class Trial {
 public:
  /// @param what  tells the round apart
  /// @return the refusal, or "" where it loaded
  std::string run(const Damaged& damage, const std::string& what) {
    CAPTURE(what);
    const auto end = fmt::format_to_n(last_words.data(), last_words.size() - 2, "ended at {}", what).out;
    *end = '\n';
    *std::next(end) = '\0';
    directory_.fill(damage);
    const Outcome outcome = outcome_of(directory_.path());
    const bool one_line = outcome.message.empty() || test::is_one_line(outcome.message);
    CHECK_MESSAGE(one_line, outcome.message);
    CHECK(outcome.memory <= size_of(damage.files) + kMostMemory);
    ++(outcome.message.empty() ? loaded_ : refused_);
    if (outcome.memory > most_memory_.first) most_memory_ = {outcome.memory, what};
    if (outcome.seconds > slowest_.first) slowest_ = {outcome.seconds, what};
    return outcome.message;
  }

  void finish() const {
    CHECK(std::min(loaded_, refused_) > (loaded_ + refused_) / 20);
    fmt::print("{} loaded, {} refused\nmost memory: {:.1f} MB, {}\nslowest: {:.0f} ms, {}\n", loaded_, refused_,
               static_cast<double>(most_memory_.first) / 1e6, most_memory_.second, slowest_.first * 1e3,
               slowest_.second);
  }

 private:
  Directory directory_;
  size_t loaded_ = 0;
  size_t refused_ = 0;
  std::pair<size_t, std::string> most_memory_;
  std::pair<double, std::string> slowest_;
};

/// SUMMAND_DAMAGE_SEED=17 repeats one round and tells what it does.
std::optional<uint32_t> asked_seed() {
  const char* text = std::getenv("SUMMAND_DAMAGE_SEED");
  return text ? std::optional(static_cast<uint32_t>(std::strtoul(text, nullptr, 10))) : std::nullopt;
}

}  // namespace

TEST_CASE("checkpoints that are whole load") {
  Directory directory;
  for (const auto& [name, files] : valid_checkpoints()) {
    directory.fill({.files = files, .removed_for = {}, .what = {}});
    const Outcome outcome = outcome_of(directory.path());
    CHECK_MESSAGE(outcome.message.empty(), fmt::format("{}: {}", name, outcome.message));
    fmt::print("{}: {} bytes, {:.1f} MB to load and run, {:.0f} ms\n", name, size_of(files),
               static_cast<double>(outcome.memory) / 1e6, outcome.seconds * 1e3);
  }
}

TEST_CASE("a damaged checkpoint loads or is refused in one line, within its size and 100 MB") {
  watch();
  const auto valid = valid_checkpoints();
  const auto only = asked_seed();
  Trial trial;
  for (uint32_t seed = only.value_or(0); seed < (only ? *only + 1 : kRounds); ++seed) {
    const auto& [name, files] = valid[seed % valid.size()];
    const Damaged damage = damaged(files, seed);
    const std::string message =
        trial.run(damage, fmt::format("SUMMAND_DAMAGE_SEED={}, {}: {}", seed, name, damage.what));
    if (only) fmt::print("{}: {}\n{}\n", name, damage.what, message.empty() ? "loaded" : message);
  }
  if (!only) trial.finish();
}

TEST_CASE("any value in a configuration may be anything") {
  watch();
  Trial trial;
  size_t number = 0;
  for (const auto& [name, files] : valid_checkpoints()) {
    for_each_replaced_value(files, [&](const Damaged& damage) {
      if (number++ % kStep == 0) trial.run(damage, fmt::format("{}: {}", name, damage.what));
    });
  }
  trial.finish();
}
