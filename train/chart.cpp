#include "train/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace summand::train {

namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 320;
constexpr double kLeft = 64;
constexpr double kRight = 150;  // for the lines' names
constexpr double kTop = 44;
constexpr double kBottom = 48;
constexpr std::array<std::string_view, 6> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};
constexpr double kLineHeight = 15;

struct Range2 {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] double size() const { return high - low; }
};

/// 1, 2 or 5 times a power of ten, so that about five steps make the range.
double tick_step(double size) {
  const double rough = size / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (rough <= times * power) return times * power;
  }
  return 10 * power;
}

std::string number_text(double value) {
  if (std::abs(value) < 1e-12) return "0";
  if (std::abs(value) >= 1e6) return fmt::format("{:g}M", value / 1e6);
  if (std::abs(value) >= 1e4) return fmt::format("{:g}k", value / 1e3);
  return fmt::format("{:g}", std::round(value * 1e6) / 1e6);
}

/// Maps numbers to coordinates.
class Frame {
 public:
  Frame(const Chart& chart) {
    for (const auto& line : chart.lines) {
      for (const auto& [x, y] : line.points) {
        x_.take(x);
        y_.take(y);
      }
    }
    if (chart.from_zero) y_.take(0);
    if (x_.size() <= 0) x_ = {x_.low - 0.5, x_.high + 0.5};
    if (y_.size() <= 0) y_ = {y_.low - 0.5, y_.high + 0.5};
    const double step = tick_step(y_.size());
    y_.low = std::floor(y_.low / step) * step;
    y_.high = std::ceil(y_.high / step) * step;
  }
  [[nodiscard]] double x(double value) const {
    return kLeft + (value - x_.low) / x_.size() * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - (value - y_.low) / y_.size() * (kHeight - kTop - kBottom);
  }
  [[nodiscard]] const Range2& across() const { return x_; }
  [[nodiscard]] const Range2& upward() const { return y_; }

 private:
  Range2 x_, y_;
};

std::string axes(const Chart& chart, const Frame& frame) {
  std::string svg;
  const auto& up = frame.upward();
  const double step = tick_step(up.size());
  for (double value = up.low; value <= up.high + step / 2; value += step) {
    svg += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", kLeft,
                       kWidth - kRight, frame.y(value), frame.y(value));
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 8,
                       frame.y(value) + 4, number_text(value));
  }
  const auto& across = frame.across();
  const double wide = tick_step(across.size());
  for (double value = std::ceil(across.low / wide) * wide; value <= across.high + wide * 1e-9; value += wide) {
    svg += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", frame.x(value),
                       kHeight - kBottom + 18, number_text(value));
  }
  svg += fmt::format(R"(<text class="axis" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                     (kLeft + kWidth - kRight) / 2, kHeight - 10, to_html(chart.x));
  svg += fmt::format(R"(<text class="axis" x="{:.1f}" y="{:.1f}">{}</text>)", kLeft, kTop - 8, to_html(chart.y));
  return svg;
}

/// Names at the lines' ends, moved apart if they would overlap.
std::string names(const std::vector<const ChartLine*>& lines, const Frame& frame) {
  std::vector<std::pair<double, size_t>> places;
  for (size_t i = 0; i < lines.size(); ++i) places.emplace_back(frame.y(lines[i]->points.back().second), i);
  std::ranges::sort(places);
  for (size_t i = 1; i < places.size(); ++i)
    places[i].first = std::max(places[i].first, places[i - 1].first + kLineHeight);
  const double most = kHeight - kBottom + 4;
  for (size_t i = places.size(); i-- > 0;) {
    places[i].first = std::min(places[i].first, i + 1 == places.size() ? most : places[i + 1].first - kLineHeight);
  }
  std::string svg;
  for (const auto& [y, i] : places) {
    svg += fmt::format(R"(<text class="name" x="{:.1f}" y="{:.1f}" fill="{}">{}</text>)", kWidth - kRight + 8, y + 4,
                       kColours[i % kColours.size()], to_html(lines[i]->name));
  }
  return svg;
}

}  // namespace

std::string to_html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string to_svg(const Chart& chart) {
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" aria-label="{2}">)"
      R"(<style>svg{{font:12px system-ui,sans-serif;background:#fff}}text{{fill:#444}}.title{{font-size:15px;font-weight:600;fill:#111}})"
      R"(.grid{{stroke:#e4e4e4}}.name{{font-weight:600}}.line{{fill:none;stroke-width:1.8;stroke-linejoin:round}})"
      R"(@media (prefers-color-scheme:dark){{svg{{background:#16181c}}text{{fill:#b8bcc4}}.title{{fill:#f2f3f5}}.grid{{stroke:#2c3038}}}}</style>)",
      kWidth, kHeight, to_html(chart.title));
  svg += fmt::format(R"(<text class="title" x="{:g}" y="18">{}</text>)", kLeft, to_html(chart.title));
  std::vector<const ChartLine*> lines;
  for (const auto& line : chart.lines) {
    if (!line.points.empty()) lines.push_back(&line);
  }
  if (lines.empty()) {
    return svg + fmt::format(R"(<text class="axis" x="{:g}" y="{:g}">nothing yet</text></svg>)", kLeft, kHeight / 2) +
           "\n";
  }
  const Frame frame(chart);
  svg += axes(chart, frame);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string points;
    for (const auto& [x, y] : lines[i]->points) points += fmt::format("{:.1f},{:.1f} ", frame.x(x), frame.y(y));
    const std::string_view colour = kColours[i % kColours.size()];
    svg += fmt::format(R"(<polyline class="line" stroke="{}" points="{}"/>)", colour, points);
    for (const auto& [x, y] : lines[i]->points) {
      if (lines[i]->points.size() > 40) break;
      svg += fmt::format(R"(<circle r="2.4" cx="{:.1f}" cy="{:.1f}" fill="{}"/>)", frame.x(x), frame.y(y), colour);
    }
  }
  return svg + names(lines, frame) + "</svg>\n";
}

}  // namespace summand::train
