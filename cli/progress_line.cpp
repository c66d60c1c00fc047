#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace summand::cli {

namespace {

constexpr std::chrono::milliseconds kBetween{250};

std::string duration(double seconds) {
  const auto whole = static_cast<uint64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

size_t terminal_columns() {
  struct winsize size {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

std::string progress_text(const ProgressFigures& figures) {
  const auto rate = [&](size_t count) { return static_cast<double>(count) / std::max(figures.seconds, 1e-3); };
  auto text =
      fmt::format("{} {}, {:.0f} texts/s, {:.0f} tokens/s", figures.done.texts,
                  figures.done.texts == 1 ? "text" : "texts", rate(figures.done.texts), rate(figures.done.tokens));
  if (!figures.share) return text;
  text += fmt::format(", {:.0f} %", std::floor(100 * *figures.share));
  if (*figures.share > 0) {
    text += fmt::format(", {} left", duration(figures.seconds * (1 - *figures.share) / *figures.share));
  }
  return text;
}

ProgressLine::ProgressLine(const InputTexts& texts)
    : texts_(texts), is_terminal_(::isatty(STDERR_FILENO) == 1), begin_place_(texts.place()) {}

/// Of the bytes read behind the texts that were there already, those of texts that are done, were all texts alike.
std::optional<double> ProgressLine::share(size_t texts_done) const {
  const auto size = texts_.size();
  const InputPlace place = texts_.place();
  const size_t texts_read = place.texts - begin_place_.texts;
  if (!size || *size <= begin_place_.bytes || texts_read == 0) return std::nullopt;
  const double bytes_done = static_cast<double>(place.bytes - begin_place_.bytes) * static_cast<double>(texts_done) /
                            static_cast<double>(texts_read);
  return std::clamp(bytes_done / static_cast<double>(*size - begin_place_.bytes), 0.0, 1.0);
}

void ProgressLine::show(const api::Progress& done) {
  if (!is_terminal_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto now = Clock::now();
  if (done.tokens == 0) {
    begin_ = last_ = now;
    begin_place_ = texts_.place();
    return;
  }
  // Threads come out of order.
  furthest_ = {.texts = std::max(furthest_.texts, done.texts), .tokens = std::max(furthest_.tokens, done.tokens)};
  if (now - last_ < kBetween) return;
  last_ = now;
  write("summand: " + progress_text({.done = furthest_,
                                     .seconds = std::chrono::duration<double>(now - begin_).count(),
                                     .share = share(furthest_.texts)}));
}

void ProgressLine::write(const std::string& text) {
  const std::string shown = text.substr(0, terminal_columns() - 1);  // a full line would wrap
  std::fputs(fmt::format("\r{:<{}}", shown, columns_written_).c_str(), stderr);
  std::fflush(stderr);
  columns_written_ = shown.size();
}

void ProgressLine::clear() {
  if (columns_written_ > 0) std::fputs(fmt::format("\r{:{}}\r", "", columns_written_).c_str(), stderr);
  columns_written_ = 0;
}

}  // namespace summand::cli
