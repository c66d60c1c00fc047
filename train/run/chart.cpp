#include "train/run/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace summand::train {

namespace {

constexpr double kWidth = 460;
constexpr double kPlotHeight = 210;
constexpr double kLeft = 56;
constexpr double kRight = 20;
constexpr double kTitleHeight = 26;
constexpr double kBottom = 44;
constexpr std::array<std::string_view, 6> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};
constexpr double kNameHeight = 18;       // of a row of names
constexpr double kCharacterWidth = 6.9;  // at most, of a name's letters on average
constexpr double kSwatchWidth = 20;
constexpr double kGap = 18;  // between names

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
  /// @param top  where the plot begins
  Frame(const Chart& chart, double top) : bottom_(top + kPlotHeight) {
    const auto take = [&](const auto& points) {
      for (const auto& [x, y] : points) {
        x_.take(x);
        y_.take(y);
      }
    };
    for (const auto& line : chart.lines) {
      take(line.points);
      std::ranges::for_each(line.single, take);
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
  [[nodiscard]] double y(double value) const { return bottom_ - (value - y_.low) / y_.size() * kPlotHeight; }
  [[nodiscard]] double bottom() const { return bottom_; }
  [[nodiscard]] const Range2& across() const { return x_; }
  [[nodiscard]] const Range2& upward() const { return y_; }

 private:
  double bottom_;
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
                       frame.bottom() + 18, number_text(value));
  }
  svg += fmt::format(R"(<text class="axis" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                     (kLeft + kWidth - kRight) / 2, frame.bottom() + kBottom - 8, to_html(chart.x));
  return svg;
}

struct Legend {
  std::string svg;
  double bottom = kTitleHeight;
};

/// A line whose colour another one has already.
bool is_dashed(size_t line) {
  return line >= kColours.size();
}

/// A swatch and a name for each line, in as many rows as they need.
Legend legend(const std::vector<const ChartLine*>& lines) {
  Legend result;
  double x = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const double width = kSwatchWidth + kCharacterWidth * static_cast<double>(lines[i]->name.size());
    if (x > 0 && x + width > kWidth) {
      x = 0;
      result.bottom += kNameHeight;
    }
    const double y = result.bottom + kNameHeight / 2;
    const auto swatch = [&](double from, int length) {
      return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{}" height="4" rx="2" fill="{}"/>)", from, y - 2, length,
                         kColours[i % kColours.size()]);
    };
    result.svg += is_dashed(i) ? swatch(x, 5) + swatch(x + 7, 5) : swatch(x, 12);
    result.svg +=
        fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", x + kSwatchWidth, y + 4, to_html(lines[i]->name));
    x += width + kGap;
  }
  result.bottom += kNameHeight + 16;
  return result;
}

/// "Loss", and softly the unit.
std::string title(const Chart& chart) {
  const std::string unit =
      chart.y.empty() ? "" : fmt::format(R"(<tspan class="unit" dx="8">{}</tspan>)", to_html(chart.y));
  return fmt::format(R"(<text class="title" x="0" y="16">{}{}</text>)", to_html(chart.title), unit);
}

std::string opening(const Chart& chart, double height) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" aria-label="{2}">)"
      R"(<style>svg{{font:13px system-ui,sans-serif;background:#fff}}text{{fill:#444}}.title{{font-size:15px;font-weight:600;fill:#111}})"
      R"(.unit{{font-size:13px;font-weight:400;fill:#5c626e}})"
      R"(.grid{{stroke:#e4e4e4}}.line{{fill:none;stroke-width:1.8;stroke-linejoin:round}}.single{{stroke-width:.8;opacity:.6}})"
      R"(@media (prefers-color-scheme:dark){{svg{{background:#16181c}}text,.unit{{fill:#b8bcc4}}.title{{fill:#f2f3f5}}.grid{{stroke:#2c3038}}}}</style>)",
      kWidth, height, to_html(chart.title));
}

}  // namespace

std::string to_html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string to_svg(const Chart& chart) {
  std::vector<const ChartLine*> lines;
  for (const auto& line : chart.lines) {
    if (!line.points.empty()) lines.push_back(&line);
  }
  if (lines.empty()) {
    return opening(chart, 2 * kTitleHeight) + title(chart) +
           fmt::format(R"(<text x="0" y="{:g}">nothing yet</text></svg>)", kTitleHeight + 14) + "\n";
  }
  const Legend names = legend(lines);
  const Frame frame(chart, names.bottom);
  std::string svg = opening(chart, frame.bottom() + kBottom) + title(chart) + names.svg + axes(chart, frame);
  const auto polyline = [&](std::string_view kind, std::string_view colour, std::string_view dashes,
                            const auto& places) {
    std::string points;
    for (const auto& [x, y] : places) points += fmt::format("{:.1f},{:.1f} ", frame.x(x), frame.y(y));
    return fmt::format(R"(<polyline class="{}" stroke="{}"{} points="{}"/>)", kind, colour, dashes, points);
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view colour = kColours[i % kColours.size()];
    const char* dashes = is_dashed(i) ? R"( stroke-dasharray="5 3")" : "";
    for (const auto& run : lines[i]->single) svg += polyline("line single", colour, dashes, run);
    svg += polyline("line", colour, dashes, lines[i]->points);
    for (const auto& [x, y] : lines[i]->points) {
      if (lines[i]->points.size() > 40) break;
      svg += fmt::format(R"(<circle r="2.4" cx="{:.1f}" cy="{:.1f}" fill="{}"/>)", frame.x(x), frame.y(y), colour);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace summand::train
