#include "serve/live/claim_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "io/file_descriptor.hpp"

namespace summand::serve::live {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kNiceness = 10;             // the server's answers come first
constexpr size_t kLongestLine = 1 << 20;  // bytes of an event
constexpr size_t kMostVerdicts = 1000;
constexpr std::chrono::seconds kPatience(3);  // before a run that was asked to end is killed

struct Pipe {
  io::FileDescriptor read, write;
};

Pipe new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw IoError("claims", "no pipe: " + errno_text(errno));
  return {io::FileDescriptor(ends[0]), io::FileDescriptor(ends[1])};
}

/// Only what names of experiments and ids of claims have.
bool is_name(std::string_view word) {
  return !word.empty() && word.size() <= 40 &&
         std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

constexpr int kNotRun = 127;  // a shell's status of a program that it cannot run

/// A server that is killed leaves no run behind.
void end_with_parent([[maybe_unused]] pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kNotRun);  // it was gone before
#endif
}

void close_from(int first) {
#ifdef __linux__
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
#endif
  constexpr int kMost = 65'536;
  for (int number = first; number < kMost; ++number) ::close(number);
}

pid_t spawn(const fs::path& program, std::vector<std::string> words, int out, int error) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (::access(program.c_str(), X_OK) != 0) {
    throw IoError(path_text(program), "cannot be run: " + errno_text(errno));
  }
  sigset_t all, none, before;
  sigfillset(&all);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of ours runs in the child
  const pid_t server = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    // Nothing here takes a lock: other threads may hold it, and are not here.
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(error, STDERR_FILENO);
    end_with_parent(server);
    close_from(STDERR_FILENO + 1);  // clients' connections, and the address that the next server listens at
    ::execv(program.c_str(), arguments.data());
    ::_exit(kNotRun);
  }
  const int failed = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) throw IoError(path_text(program), "cannot be run: " + errno_text(failed));
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid), kNiceness);
  return pid;
}

/// Splits what is read into lines.
class Lines {
 public:
  template <class Take>
  void add(std::string_view bytes, const Take& take) {
    rest_ += bytes;
    size_t begin = 0;
    for (size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      take(std::string_view(rest_).substr(begin, end - begin));
    }
    rest_.erase(0, begin);
    if (rest_.size() > kLongestLine) rest_.clear();
  }

 private:
  std::string rest_;
};

/// "summand: [--only] expected …" without the program's name.
std::string without_name(std::string_view line) {
  constexpr std::string_view kName = "summand: ";
  if (line.starts_with(kName)) line.remove_prefix(kName.size());
  return printable(line, 2000);
}

}  // namespace

/// One run and the thread that reads it. Its members are guarded by the mutex but for those set once.
struct ClaimRun::Process {
  enum class State { idle, running, finished, failed, cancelled };

  ~Process() {
    {
      const std::lock_guard lock(mutex);
      end(SIGTERM);
    }
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (is_running() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    {
      const std::lock_guard lock(mutex);
      end(SIGKILL);
    }
    if (reader.joinable()) reader.join();
  }

  [[nodiscard]] bool is_running() const {
    const std::lock_guard lock(mutex);
    return state == State::running;
  }

  /// With the mutex locked, so that the process is not reaped meanwhile.
  void end(int signal) {
    if (state != State::running) return;
    was_cancelled = true;
    ::kill(pid, signal);
  }

  void read(io::FileDescriptor out, io::FileDescriptor error) {
    std::array<Lines, 2> lines;
    std::array<pollfd, 2> waiting{pollfd{out.number(), POLLIN, 0}, pollfd{error.number(), POLLIN, 0}};
    while (std::ranges::any_of(waiting, [](const pollfd& one) { return one.fd >= 0; })) {
      if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
      for (size_t i = 0; i < waiting.size(); ++i) {
        if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
        std::array<char, 4096> bytes{};
        const auto count = ::read(waiting[i].fd, bytes.data(), bytes.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count <= 0) {
          waiting[i].fd = -1;
          continue;
        }
        lines[i].add({bytes.data(), static_cast<size_t>(count)}, [&](std::string_view line) {
          const std::lock_guard lock(mutex);
          i == 0 ? take_event(line) : take_error(line);
        });
      }
    }
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    const std::lock_guard lock(mutex);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    finish(status);
  }

  void take_event(std::string_view line) {
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object()) return;
    const auto kind = event.value("event", "");
    if (kind == "progress") {
      progress = event;
      progress.erase("event");
    } else if (kind == "verdict" && verdicts.size() < kMostVerdicts) {
      verdicts.push_back(event);
      verdicts.back().erase("event");
    } else if (kind == "answer") {
      answer = event;
      answer.erase("event");
    } else if (kind == "finished") {
      is_whole = true;
    }
  }

  void take_error(std::string_view line) {
    if (!line.empty()) last_error = without_name(line);
  }

  void finish(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && is_whole) {
      state = State::finished;
      return;
    }
    state = was_cancelled ? State::cancelled : State::failed;
    if (state == State::failed && last_error.empty()) {
      last_error = WIFSIGNALED(status) ? fmt::format("the laboratory was ended by signal {}", WTERMSIG(status))
                                       : fmt::format("the laboratory ended with status {}", WEXITSTATUS(status));
    }
  }

  ClaimRunRequest request;
  fs::path folder;
  pid_t pid = 0;
  std::thread reader;

  mutable std::mutex mutex;
  State state = State::idle;
  bool was_cancelled = false;
  bool is_whole = false;
  Json progress{{"share", 0}, {"ended", 0}, {"count", 0}, {"under_way", ""}, {"titles", Json::object()}};
  Json answer;
  std::vector<Json> verdicts;
  std::string last_error;
};

namespace {

const char* name_of(int state) {
  constexpr std::array kNames{"idle", "running", "finished", "failed", "cancelled"};
  return kNames.at(static_cast<size_t>(state));
}

/// Of its own for every model, since a folder holds reports of one.
fs::path folder_of(const fs::path& folder, const ClaimRunRequest& request) {
  Hash hash;
  hash.add(request.model);
  return folder / fmt::format("{:016x}", hash.value());
}

}  // namespace

ClaimRun::ClaimRun(fs::path program, fs::path folder)
    : program_(std::move(program)), folder_(std::move(folder)), process_(std::make_unique<Process>()) {}

ClaimRun::~ClaimRun() = default;

void ClaimRun::start(const ClaimRunRequest& request) {
  for (const auto& word : request.only) {
    if (!is_name(word)) {
      throw UsageError("only",
                       fmt::format("expected names of experiments or ids of claims, got '{}'", printable(word)));
    }
  }
  const std::lock_guard lock(mutex_);
  if (process_->is_running()) throw UsageError("claims", "expected no run under way, got another start");
  auto process = std::make_unique<Process>();
  process->request = request;
  process->folder = folder_of(folder_, request);
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw IoError(path_text(folder_), "cannot be made: " + failed.message());
  std::vector<std::string> words{"summand-lab", "--model=" + request.model, "--output=" + process->folder.string(),
                                 "--quick", "--events"};
  if (!request.name.empty()) words.push_back("--name=" + request.name);
  if (!request.only.empty()) words.push_back(fmt::format("--only={}", fmt::join(request.only, ",")));
  Pipe out = new_pipe();
  Pipe error = new_pipe();
  process->pid = spawn(program_, words, out.write.number(), error.write.number());
  process->state = Process::State::running;
  process->reader =
      std::thread([own = process.get(), read_out = std::move(out.read), read_error = std::move(error.read)]() mutable {
        own->read(std::move(read_out), std::move(read_error));
      });
  process_ = std::move(process);
}

void ClaimRun::cancel() {
  const std::lock_guard lock(mutex_);
  const std::lock_guard of_process(process_->mutex);
  process_->end(SIGTERM);
}

std::string ClaimRun::state(size_t after) const {
  const std::lock_guard lock(mutex_);
  const std::lock_guard of_process(process_->mutex);
  const auto& [request, verdicts] = std::tie(process_->request, process_->verdicts);
  Json json = process_->progress;
  json["version"] = 1;
  json["state"] = name_of(static_cast<int>(process_->state));
  json["model"] = request.name;
  json["verdicts"] = Json::array();
  for (size_t i = std::min(after, verdicts.size()); i < verdicts.size(); ++i) json["verdicts"].push_back(verdicts[i]);
  json["next"] = verdicts.size();
  json["answer"] = process_->answer;
  json["error"] = process_->state == Process::State::failed ? Json(process_->last_error) : Json();
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<fs::path> ClaimRun::report() const {
  const std::lock_guard lock(mutex_);
  const std::lock_guard of_process(process_->mutex);
  if (process_->state != Process::State::finished) return std::nullopt;
  return process_->folder;
}

}  // namespace summand::serve::live
