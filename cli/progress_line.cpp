#include "cli/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "terminal/duration.hpp"

namespace summand::cli {

std::string progress_text(const ProgressFigures& figures) {
  const auto rate = [&](size_t count) { return static_cast<double>(count) / std::max(figures.seconds, 1e-3); };
  auto text =
      fmt::format("{} {}, {:.0f} texts/s, {:.0f} tokens/s", figures.done.texts,
                  figures.done.texts == 1 ? "text" : "texts", rate(figures.done.texts), rate(figures.done.tokens));
  if (!figures.share) return text;
  text += fmt::format(", {:.0f} %", std::floor(100 * *figures.share));
  if (*figures.share > 0) {
    text += fmt::format(", {} left", terminal::duration_text(figures.seconds * (1 - *figures.share) / *figures.share));
  }
  return text;
}

ProgressLine::ProgressLine(const InputTexts& texts) : texts_(texts), begin_place_(texts.place()) {}

/// Estimated bytes of finished texts, after those of an earlier run, if all texts were equally long.
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
  if (!line_.is_terminal()) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  if (done.tokens == 0) {
    begin_ = Clock::now();
    line_.postpone();
    begin_place_ = texts_.place();
    return;
  }
  // Threads come out of order.
  furthest_ = {.texts = std::max(furthest_.texts, done.texts), .tokens = std::max(furthest_.tokens, done.tokens)};
  if (!line_.is_due()) return;
  line_.show(progress_text({.done = furthest_,
                            .seconds = std::chrono::duration<double>(Clock::now() - begin_).count(),
                            .share = share(furthest_.texts)}));
}

}  // namespace summand::cli
