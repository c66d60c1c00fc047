#include "trust/trial.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "api/embedding/embedder.hpp"
#include "api/model/loaded_model.hpp"
#include "base/error.hpp"
#include "io/files.hpp"
#include "support/one_line.hpp"
#include "support/sanitized.hpp"
#include "trust/live_bytes.hpp"

// Is called by a sanitizer before it ends the process; there only in its builds.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace summand::trust {

namespace fs = std::filesystem;

namespace {

/// Of processor time, so that a busy machine changes nothing.
constexpr long kLongestSeconds = test::kSanitized ? 200 : 20;
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

/// Ends the process after so many seconds of work, or many more of waiting; 0 takes it back.
void limit_time(long seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(static_cast<unsigned>(30 * seconds));
}

void load_and_run(const fs::path& path) {
  const auto model = api::LoadedModel::load(path.string(), {.threads = 1});
  for (const auto& notice : model.checkpoint().notices) CHECK_MESSAGE(test::is_one_line(notice), notice);
  for (const auto& notice : model.tokenizer().notices()) CHECK_MESSAGE(test::is_one_line(notice), notice);
  const api::Embedder embedder(model, {});
  text::InputRecord record;
  record.text = "Hello, unaffable [MASK] 中 é x";
  const auto vectors = embedder.embed(record).vectors;
  CHECK(vectors.columns() == embedder.width());
}

}  // namespace

TrialDirectory::TrialDirectory() {
  const fs::path root = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  std::string pattern = (root / "summand-trust-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

TrialDirectory::~TrialDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TrialDirectory::fill(const Damaged& damaged) {
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

size_t size_of(const Files& files) {
  size_t bytes = 0;
  for (const auto& [name, content] : files) bytes += content.size();
  return bytes;
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

std::string Trial::run(const Damaged& damage, const std::string& what) {
  CAPTURE(what);
  const auto end = fmt::format_to_n(last_words.data(), last_words.size() - 2, "ended at {}", what).out;
  *end = '\n';
  *std::next(end) = '\0';
  directory_.fill(damage);
  const Outcome outcome = outcome_of(directory_.path());
  const bool one_line = outcome.message.empty() || test::is_one_line(outcome.message);
  CHECK_MESSAGE(one_line, outcome.message);
  const size_t size = size_of(damage.files);
  CHECK(outcome.memory <= size + kMostMemory);
  const double beside = (static_cast<double>(outcome.memory) - static_cast<double>(size)) / 1e6;
  ++(outcome.message.empty() ? loaded_ : refused_);
  if (beside > most_memory_.first) most_memory_ = {beside, what};
  if (outcome.seconds > slowest_.first) slowest_ = {outcome.seconds, what};
  return outcome.message;
}

void Trial::finish() const {
  CHECK(std::min(loaded_, refused_) > (loaded_ + refused_) / 20);
  fmt::print("{} loaded, {} refused\nmost memory beside its size: {:.1f} MB, {}\nslowest: {:.0f} ms, {}\n", loaded_,
             refused_, most_memory_.first, most_memory_.second, slowest_.first * 1e3, slowest_.second);
}

}  // namespace summand::trust
