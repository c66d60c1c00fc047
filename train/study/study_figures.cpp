#include "train/study/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/statistics/moments.hpp"
#include "train/run/chart.hpp"

namespace summand::train {

namespace {

constexpr double kWidth = 960;
constexpr double kTop = 46, kRow = 30, kBottom = 70;
constexpr double kNames = 340;      // width of the names on the left
constexpr double kNumbers = 260;    // of the numbers and the verdict on the right
constexpr double kMostMargins = 5;  // half of the axis
constexpr double kDotRadius = 3.2;

constexpr std::string_view kStyle =
    R"(<style>svg{font:13px system-ui,sans-serif;background:#fff}text{fill:#30343b}.title{font-size:15px;font-weight:600;fill:#111})"
    R"(.soft{fill:#5c626e}.grid{stroke:#e4e4e4}.zero{stroke:#8a909c}.margin{fill:#0072b2;opacity:.1}.whisker{stroke-width:2})"
    R"(.hurts{fill:#d55e00;stroke:#d55e00}.helps{fill:#009e73;stroke:#009e73}.equivalent{fill:#0072b2;stroke:#0072b2})"
    R"(.larger,.smaller{fill:#a0548a;stroke:#a0548a}.inconclusive{fill:#7a808c;stroke:#7a808c})"
    R"(text.hurts,text.helps,text.equivalent,text.inconclusive,text.larger,text.smaller{stroke:none})"
    R"(.run{fill:#0072b2;opacity:.45}.median{stroke:#16181c;stroke-width:2})"
    R"(@media (prefers-color-scheme:dark){svg{background:#16181c}text{fill:#d6d9df}.soft{fill:#b8bcc4}.title{fill:#f2f3f5})"
    R"(.grid{stroke:#2c3038}.zero{stroke:#6a707c}.margin{fill:#56b4e9;opacity:.16}.run{fill:#56b4e9}.median{stroke:#f2f3f5})"
    R"(.hurts{fill:#e8854a;stroke:#e8854a}.helps{fill:#3cc39a;stroke:#3cc39a}.equivalent{fill:#56b4e9;stroke:#56b4e9})"
    R"(.larger,.smaller{fill:#d68fc2;stroke:#d68fc2}text.hurts,text.helps,text.equivalent,text.larger,text.smaller{stroke:none}}</style>)";

/// With the sign that is as wide as a plus.
std::string with_minus(std::string number) {
  if (number.starts_with('-')) number.replace(0, 1, "−");
  return number;
}

std::string opening(const std::string& title, double height) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img" aria-label="{2}">{3}<text class="title" x="0" y="18">{2}</text>)",
      kWidth, height, to_html(title), kStyle);
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view kind = "label") {
  return fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", kind, x, y, anchor,
                     to_html(text));
}

std::string line(std::string_view kind, double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x1, y1, x2, y2);
}

/// "+0.28 [+0.11, +0.45]"
std::string numbers_of(const Comparison& one) {
  const int digits = std::abs(one.shown(one.mean)) < 10 ? 2 : 1;
  const auto signed_number = [&](double difference) {
    return with_minus(fmt::format("{:+.{}f}", one.shown(difference), digits));
  };
  return fmt::format("{} [{}, {}]", signed_number(one.mean), signed_number(one.interval.low),
                     signed_number(one.interval.high));
}

/// A row of the forest between two places of the axis.
std::string forest_row(const Comparison& one, double y, double left, double right) {
  const double most = kMostMargins * one.contrast->margin;
  const auto x = [&](double value) {
    return (left + right) / 2 + std::clamp(value / most, -1.0, 1.0) * (right - left) / 2;
  };
  const std::string verdict(one.verdict_word());
  std::string svg = text_at(kNames - 14, y + 4, "end", one.contrast->name());
  svg += line(verdict + " whisker", x(one.interval.low), y, x(one.interval.high), y);
  const auto arrow = [&](double tip, double length, double half_height) {
    const double back = tip + (tip > (left + right) / 2 ? -length : length);
    return fmt::format(R"(<path class="{}" d="M{:.1f},{:.1f}L{:.1f},{:.1f}L{:.1f},{:.1f}Z"/>)", verdict, tip, y, back,
                       y - half_height, back, y + half_height);
  };
  if (one.interval.high > most) svg += arrow(right, 6, 3.5);
  if (one.interval.low < -most) svg += arrow(left, 6, 3.5);
  if (one.mean > most || one.mean < -most) {
    svg += arrow(x(one.mean), 9, 5);
  } else {
    svg += fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4.5"/>)", verdict, x(one.mean), y);
  }
  svg += text_at(kWidth - kNumbers + 14, y + 4, "start", numbers_of(one));
  return svg + text_at(kWidth, y + 4, "end", verdict, verdict);
}

/// Values by step of those runs that have them all.
std::vector<std::pair<double, double>> median_curve(const std::vector<const StudyRow*>& rows) {
  std::map<int64_t, std::vector<double>> by_step;
  for (const StudyRow* row : rows) {
    for (const CurvePoint& point : row->curve) by_step[point.step].push_back(point.excess);
  }
  std::vector<std::pair<double, double>> points;
  for (const auto& [step, values] : by_step) points.emplace_back(static_cast<double>(step), lab::median(values));
  return points;
}

}  // namespace

std::string forest_svg(const std::string& title, std::span<const Comparison* const> comparisons, double level) {
  const double left = kNames, right = kWidth - kNumbers;
  const Comparison& first = *comparisons.front();
  const double margin = first.contrast->margin, middle = (left + right) / 2;
  const double bottom = kTop + kRow * static_cast<double>(comparisons.size());
  const double unit = (right - left) / 2 / kMostMargins;
  std::string svg = opening(title, bottom + kBottom);
  svg += fmt::format(R"(<rect class="margin" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", middle - unit,
                     kTop - 8, 2 * unit, bottom - kTop + 8);
  for (int step = -static_cast<int>(kMostMargins); step <= static_cast<int>(kMostMargins); ++step) {
    const double x = middle + step * unit;
    svg += line(step == 0 ? "zero" : "grid", x, kTop - 8, x, bottom);
    if (step % 2 != 0 || step == 0)
      svg += text_at(x, bottom + 17, "middle", with_minus(fmt::format("{:g}", first.shown(margin * step))), "soft");
  }
  for (size_t row = 0; row < comparisons.size(); ++row) {
    svg += forest_row(*comparisons[row], kTop + kRow * (static_cast<double>(row) + 0.3), left, right);
  }
  svg +=
      text_at(middle, bottom + 56, "middle",
              fmt::format("difference {}, {:g} % interval",
                          first.is_of_losses() ? "in % of what there is to learn" : "of the shares", 100 * (1 - level)),
              "soft");
  svg += text_at(left, bottom + 36, "start", first.is_of_losses() ? "← better" : "← smaller", "soft");
  svg += text_at(right, bottom + 36, "end", first.is_of_losses() ? "worse →" : "larger →", "soft");
  return svg + "</svg>\n";
}

std::string gap_svg(const std::string& title, std::span<const ArmSummary* const> arms) {
  const double left = kNames, right = kWidth - 90;
  double most = 0;
  for (const ArmSummary* arm : arms) {
    for (const StudyRow* row : arm->rows) most = std::max(most, row->left());
  }
  const double step = most > 0.5 ? 0.2 : most > 0.2 ? 0.1 : most > 0.05 ? 0.02 : most > 0.02 ? 0.01 : 0.002;
  const double end = std::ceil(most / step) * step;
  const double bottom = kTop + kRow * static_cast<double>(arms.size());
  const auto x = [&](double share) { return left + share / end * (right - left); };
  std::string svg = opening(title, bottom + kBottom);
  for (double tick = 0; tick <= end + step / 2; tick += step) {
    svg += line("grid", x(tick), kTop - 8, x(tick), bottom);
    svg += text_at(x(tick), bottom + 17, "middle", fmt::format("{:g}", std::round(1e6 * tick) / 1e4), "soft");
  }
  for (size_t index = 0; index < arms.size(); ++index) {
    const ArmSummary& arm = *arms[index];
    const double y = kTop + kRow * (static_cast<double>(index) + 0.3);
    svg += text_at(kNames - 14, y + 4, "end", arm.arm);
    for (const StudyRow* row : arm.rows) {
      svg += fmt::format(R"(<circle class="run" cx="{:.1f}" cy="{:.1f}" r="{:g}"/>)", x(row->left()), y, kDotRadius);
    }
    svg += line("median", x(arm.left), y - 8, x(arm.left), y + 8);
    svg += text_at(kWidth, y + 4, "end", fmt::format("{:.2f} %", 100 * arm.left));
  }
  svg += text_at((left + right) / 2, bottom + 36, "middle",
                 "% of the gap to the best possible loss that is left; a dot a run, a bar at the median", "soft");
  return svg + "</svg>\n";
}

std::string curves_svg(const std::string& title, std::span<const ArmSummary* const> arms) {
  Chart chart{.title = title, .x = "step", .y = "excess, nats", .lines = {}, .from_zero = true};
  for (const ArmSummary* arm : arms) {
    ChartLine& line = chart.lines.emplace_back(ChartLine{.name = arm->arm, .points = median_curve(arm->rows)});
    if (arm->stuck > 0) line.name += fmt::format(" ({} of {} stuck)", arm->stuck, arm->rows.size());
    for (const StudyRow* row : arm->rows) {
      if (row->left() > kStuck) line.single.push_back(median_curve({row}));
    }
  }
  return to_svg(chart);
}

}  // namespace summand::train
