#include "train/run/metrics.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/platform.hpp"

namespace summand::train {

namespace {

/// Bytes up to the end of the last whole line.
uint64_t whole_lines(const std::filesystem::path& path) {
  const std::string content = read_file(path, kLongestMetrics);
  return content.rfind('\n') == std::string::npos ? 0 : content.rfind('\n') + 1;
}

}  // namespace

void Interval::add(const StepResult& step, double step_seconds) {
  summand::train::add(sums, step.work.sums);
  tokens += step.work.tokens;
  ++steps;
  gradient_norm += step.gradient_norm;
  for (const auto& [part, norm] : step.part_norms) part_norms[part] += norm;
  seconds += step_seconds;
}

std::string training_line(const Interval& interval, const Progress& progress, const LearningTask& task,
                          double learning_rate) {
  const auto steps = static_cast<double>(std::max<int64_t>(1, interval.steps));
  nlohmann::ordered_json json{{"step", progress.step},          {"epoch", task.epoch()},
                              {"tokens", progress.tokens},      {"train", task.numbers(interval.sums)},
                              {"learning_rate", learning_rate}, {"gradient_norm", interval.gradient_norm / steps}};
  for (const auto& [part, norm] : interval.part_norms) json["gradient_norms"][part] = norm / steps;
  json["seconds"] = interval.seconds;
  json["tokens_per_second"] = interval.seconds > 0 ? static_cast<double>(interval.tokens) / interval.seconds : 0;
  return json.dump();
}

std::string validation_line(const Validation& validation, int64_t step) {
  const auto numbers = nlohmann::ordered_json::parse(validation.numbers);
  return nlohmann::ordered_json{{"step", step}, {"valid", numbers}}.dump();
}

MetricsFile::MetricsFile(std::filesystem::path path, uint64_t keep_bytes) : path_(std::move(path)), bytes_(keep_bytes) {
  file_ = io::FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  struct stat status {};
  if (!file_.is_open() || ::fstat(file_.number(), &status) != 0) fail(errno);
  if (static_cast<uint64_t>(status.st_size) < keep_bytes) bytes_ = whole_lines(path_);
  if (::ftruncate(file_.number(), static_cast<off_t>(bytes_)) != 0) fail(errno);
  if (::lseek(file_.number(), 0, SEEK_END) < 0) fail(errno);
}

void MetricsFile::append(const std::string& line) {
  const std::string text = line + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(file_.number(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  bytes_ += text.size();
}

void MetricsFile::bring_to_disk() {
  if (summand::bring_to_disk(file_.number()) != 0) fail(errno);
}

void MetricsFile::fail(int error_number) const {
  throw IoError(path_.string(), "cannot be written: " + std::generic_category().message(error_number));
}

}  // namespace summand::train
