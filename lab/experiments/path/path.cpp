// E4: is the path of the positions a spiral in its first components, and are two of them too few?
#include <fmt/format.h>

#include <Eigen/Cholesky>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/compared.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/shift_maps.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr Eigen::Index kComponents = 6;  // among which a circle and an axis are looked for
constexpr int kFrequencies = 400;
constexpr double kLeastTurns = 1;  // under one turn an arc is no spiral
constexpr double kMostTurns = 40;
constexpr double kNoSpiral = 0.5;
constexpr double kSpiral = 0.8;
constexpr size_t kLeastPathRows = 64;

/// Of two curves one after the other in the same frequency: how much of both is a circle walked at constant pace.
double circle_r2(const Table& curves, double turns) {
  const Eigen::Index rows = curves.rows();
  Table basis(rows, 3);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double angle = 2 * std::numbers::pi * turns * static_cast<double>(i) / static_cast<double>(rows);
    basis.row(i) << 1, std::cos(angle), std::sin(angle);
  }
  const Eigen::MatrixXd coefficients = (basis.transpose() * basis).ldlt().solve(basis.transpose() * curves);
  const double rest = (curves - basis * coefficients).squaredNorm();
  return 1 - rest / centred(curves).squaredNorm();
}

double line_r2(const Eigen::VectorXd& curve) {
  const Eigen::Index rows = curve.size();
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(rows, -1, 1);
  const double mean = curve.mean();
  const double slope = t.dot(curve) / t.squaredNorm();
  return 1 - (curve.array() - mean - slope * t.array()).matrix().squaredNorm() /
                 (curve.array() - mean).matrix().squaredNorm();
}

struct Spiral {
  double plane = 0;      ///< R² of a circle in the first two components
  double helix = 0;      ///< mean of a circle's R² in two components and a line's in a third, the best choice of six
  double turns = 0;      ///< of that circle
  double first_two = 0;  ///< share of the first two components
  double step_2 = 0;     ///< skill of one rotation per step in two components, at whatever pace
  double step_16 = 0;    ///< and in 16, where the table has as many
};

double step_skill(const Table& table, size_t components) {
  if (lacking(table, kLeastPathRows, components)) return 0;
  return shift_skill(table, ShiftMap::orthogonal, {.shift = 1, .components = components});
}

Spiral spiral_of(const Table& table) {
  const auto components = principal_components(table, kComponents);
  const Table& scores = components.scores;
  const Eigen::Index count = scores.cols();
  std::vector<double> lines;
  for (Eigen::Index c = 0; c < count; ++c) lines.push_back(line_r2(scores.col(c)));
  Spiral best;
  best.first_two = components.shares.head(std::min<Eigen::Index>(2, count)).sum();
  best.step_2 = step_skill(table, 2);
  best.step_16 = step_skill(table, 16);
  for (int f = 0; f < kFrequencies; ++f) {
    const double turns = kLeastTurns + (kMostTurns - kLeastTurns) * f / (kFrequencies - 1);
    for (Eigen::Index a = 0; a < count; ++a) {
      for (Eigen::Index b = a + 1; b < count; ++b) {
        Table pair(scores.rows(), 2);
        pair << scores.col(a), scores.col(b);
        const double circle = circle_r2(pair, turns);
        if (a == 0 && b == 1) best.plane = std::max(best.plane, circle);
        double line = 0;
        for (Eigen::Index c = 0; c < count; ++c) {
          if (c != a && c != b) line = std::max(line, lines[static_cast<size_t>(c)]);
        }
        if ((circle + line) / 2 > best.helix) {
          best.helix = (circle + line) / 2;
          best.turns = turns;
        }
      }
    }
  }
  return best;
}

/// Three turns around an axis, and noise of a tenth in 16 directions.
Table planted_helix(Shape shape, RandomStream& stream) {
  Table table = 0.1 * white_noise(shape, stream);
  for (Eigen::Index i = 0; i < table.rows(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(shape.rows);
    const double angle = 2 * std::numbers::pi * 3 * t;
    table(i, 0) += 8 * std::cos(angle);
    table(i, 1) += 8 * std::sin(angle);
    table(i, 2) += 16 * (t - 0.5);
  }
  return table;
}

Figure path_figure(const Table& table) {
  using namespace chart;
  const auto components = principal_components(table, 3);
  std::vector<double> position;
  std::array<std::vector<double>, 3> scores;
  // The same three seen from the side and from above: turned by 35° about the third, then tilted by 25°.
  constexpr double kTurn = 35 * std::numbers::pi / 180;
  constexpr double kTilt = 25 * std::numbers::pi / 180;
  std::vector<double> across;
  std::vector<double> up;
  for (Eigen::Index i = 0; i < table.rows(); ++i) {
    position.push_back(static_cast<double>(i));
    for (size_t c = 0; c < 3; ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      scores[c].push_back(column < components.scores.cols() ? components.scores(i, column) : 0);
    }
    const double depth = scores[0].back() * std::sin(kTurn) + scores[1].back() * std::cos(kTurn);
    across.push_back(scores[0].back() * std::cos(kTurn) - scores[1].back() * std::sin(kTurn));
    up.push_back(scores[2].back() * std::cos(kTilt) + depth * std::sin(kTilt));
  }
  const auto place = [](const char* field, const Words& title) {
    Json channel = number(field, title);
    channel["scale"] = {{"zero", false}};
    channel["axis"] = {{"tickCount", 4}, {"minExtent", 32}};
    return channel;
  };
  const auto plane = [&](const Json& x, const Json& y) {
    return layers({mark({{"type", "line"}, {"opacity", 0.15}, {"strokeWidth", 1}, {"color", "@faint"}},
                        {{"x", x}, {"y", y}, {"order", number("position", {"position", "位置"}, "d")}}),
                   mark({{"type", "circle"}, {"size", 18}, {"opacity", 1}},
                        {{"x", x},
                         {"y", y},
                         {"color", scaled(number("position", {"position", "位置"}, "d"), {{"scheme", "viridis"}})}})});
  };
  const Json one = place("c1", {"component 1", "主成分 1"});
  const Json two = place("c2", {"component 2", "主成分 2"});
  const Json three = place("c3", {"component 3", "主成分 3"});
  return {
      .name = "path-planes",
      .title = {"The path of the positions in its first three components", "位置在前三个主成分中的轨迹"},
      .caption = {"A point is a position, its colour which. Three planes of the path, and the path in space: turned "
                  "by 35° and seen from 25° above.",
                  "每个点是一个位置，颜色表示是哪一个。前三幅为轨迹的三个平面，第四幅为空间中的轨迹：转 35°，自上方 "
                  "25° 看去。"},
      .specification = side_by_side(
          {plane(one, two), plane(one, three), plane(two, three),
           plane(place("across", {"in space, across", "空间，横向"}), place("up", {"in space, up", "空间，纵向"}))},
          {.least = 300, .most = 2, .axis = 88, .height = 260}),
      .data = FigureData{{{"position", position},
                          {"c1", scores[0]},
                          {"c2", scores[1]},
                          {"c3", scores[2]},
                          {"across", across},
                          {"up", up}}}};
}

Compared<Spiral> compared_spiral(const Table& rows, const std::string& name, size_t draws,
                                 const Conditions& conditions) {
  const Shape shape{.rows = static_cast<size_t>(rows.rows()), .columns = static_cast<size_t>(rows.cols())};
  RandomStream helix(conditions.seed, "path: helix " + name);
  Compared<Spiral> spiral{.own = spiral_of(rows),
                          .nulls = std::vector<Spiral>(draws),
                          .control = spiral_of(planted_helix(shape, helix)),
                          .of_null = words_of_median(Surrogate::random_walk, draws),
                          .of_control = {"planted helix of three turns", "构造的三圈螺旋"}};
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("path: random walk {} {}", name, i));
    spiral.nulls[i] = spiral_of(random_walk(shape, stream));
  });
  return spiral;
}

Findings run_path(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& table = subject.positions;
  if (const auto gap = lacking(table, kLeastPathRows, 3)) {
    findings.gaps["E4"] = *gap;
    return findings;
  }
  const size_t draws = conditions.quick ? 3 : 11;
  if (conditions.quick) findings.left_out.push_back({"3 random walks instead of 11", "3 条随机游走而非 11 条"});
  Numbers& numbers = findings.numbers["E4"];
  for (const auto& part : position_parts(table)) {
    if (part.name == "without_row_0" || lacking(part.rows, kLeastPathRows, 3)) continue;
    const auto spiral = compared_spiral(part.rows, part.name, draws, conditions);
    const bool whole = part.name == "all";
    const auto add = [&](const std::string& name, const Words& label, double Spiral::*of) {
      const Words of_part{label.en + ": " + part.words.en, label.zh + "：" + part.words.zh};
      numbers.add(spiral.number(whole ? name : name + "_" + part.name, whole ? label : of_part,
                                [of](const Spiral& one) { return one.*of; }));
    };
    add("shift_skill_2", {"skill of one rotation per step in 2 components", "2 个主成分中每步一个旋转的技能"},
        &Spiral::step_2);
    add("plane_circle_r2", {"R² of a circle at one pace in components 1 and 2", "主成分 1、2 中恒速圆的 R²"},
        &Spiral::plane);
    add("helix_r2", {"R² of the best helix in six components", "六个主成分中最佳螺旋的 R²"}, &Spiral::helix);
    if (!whole) continue;
    add("helix_turns", {"its turns", "其圈数"}, &Spiral::turns);
    add("first_two_components", {"share of the first two components", "前两个主成分占比"}, &Spiral::first_two);
    if (!lacking(table, kLeastPathRows, 16)) {
      add("shift_skill_16", {"skill of one rotation per step in 16 components", "16 个主成分中每步一个旋转的技能"},
          &Spiral::step_16);
    }
    conditions.progress(0.5);
  }
  findings.figures.push_back(path_figure(table));
  conditions.progress(1);
  return findings;
}

Verdict judge_path(const Numbers& numbers) {
  const double plane = numbers.value("plane_circle_r2");
  const double two = numbers.value("shift_skill_2");
  const double most = std::max(plane, two);
  Verdict verdict;
  if (numbers.control("plane_circle_r2") < kSpiral || numbers.null("shift_skill_2") >= kNoSpiral) {
    verdict.observation = Observation::cannot_be_told;
  } else if (most < kNoSpiral) {
    verdict.observation = Observation::holds;
  } else if (most >= kSpiral) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  double sixteen = 0;
  if (std::ranges::count(numbers.all(), "shift_skill_16", &Number::name) > 0) {
    sixteen = numbers.value("shift_skill_16");
    verdict.inference = sixteen >= 0.5 && sixteen - two >= 0.2 ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason = {
      fmt::format("a circle at one pace explains {:.2f} of the first two components ({:.2f} of a random walk's); one "
                  "rotation per step has skill {:.2f} in two components and {:.2f} in 16",
                  plane, numbers.null("plane_circle_r2"), two, sixteen),
      fmt::format("圆解释前两个主成分的 {:.2f}（随机游走为 {:.2f}）；每步一个旋转的技能在 2 个主成分中为 "
                  "{:.2f}，16 个中为 {:.2f}",
                  plane, numbers.null("plane_circle_r2"), two, sixteen)};
  return verdict;
}

Words answer_path(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E4")) return findings.gaps.at("E4");
  const Numbers& numbers = findings.numbers.at("E4");
  const auto observation = verdicts.at("E4").observation;
  const Words spiral = observation == Observation::holds ? Words{"No spiral in two dimensions.", "二维中没有螺旋。"}
                       : observation == Observation::fails ? Words{"The positions go round.", "位置在二维中绕圈。"}
                                                           : Words{"It cannot be told.", "无法判断。"};
  return {
      fmt::format("{} In the first two components, {:.0f} % of the variance, one rotation per step predicts the next "
                  "position with skill {:.2f} (a random walk's: {:.2f}); a circle at one constant pace explains "
                  "{:.0f} % ({:.0f} %).",
                  spiral.en, 100 * numbers.value("first_two_components"), numbers.value("shift_skill_2"),
                  numbers.null("shift_skill_2"), 100 * numbers.value("plane_circle_r2"),
                  100 * numbers.null("plane_circle_r2")),
      fmt::format("{}前两个主成分占方差的 {:.0f}%，其中每步一个旋转预测下一位置的技能为 {:.2f}（随机游走 "
                  "{:.2f}）；恒速的圆解释 {:.0f}%（随机游走 {:.0f}%）。",
                  spiral.zh, 100 * numbers.value("first_two_components"), numbers.value("shift_skill_2"),
                  numbers.null("shift_skill_2"), 100 * numbers.value("plane_circle_r2"),
                  100 * numbers.null("plane_circle_r2"))};
}

}  // namespace

Experiment path_experiment() {
  return {
      .name = "path",
      .effort = 3,
      .title = {"Its path in two and three dimensions", "二维与三维中的轨迹"},
      .question = {"Do the positions form a spiral in the first components?", "位置在前几个主成分中形成螺旋吗？"},
      .definition = {"The least-squares circle, walked at constant pace with 1 to 40 turns, in components 1 and 2; the "
                     "best helix, a circle in two components and a line in a third, among the first six. Beside it "
                     "how well one rotation predicts the next position in 2 and in 16 components (row 3.5).",
                     "主成分 1、2 中匀速、1 至 40 "
                     "圈的最小二乘圆；前六个主成分中的最佳螺旋（两个成分成圆、第三个成直线）。另有在 2 个与 16 "
                     "个主成分中用一个旋转预测下一位置的效果（见 3.5）。"},
      .source = {"document 002; own", "文档 002；自定义"},
      .null = {"random walks: smooth paths that turn nowhere in particular", "随机游走：平滑但没有特定转向的轨迹"},
      .control = {"a planted helix of three turns with noise", "构造的三圈螺旋，加噪声"},
      .rules = {{.claim = "E4",
                 .observation = {"holds (no spiral) if in the first two components a circle at constant pace explains "
                                 "less than .5, and one rotation per step has a skill below .5; fails if either "
                                 "reaches .8; otherwise, or if the planted helix's circle misses .8 or random walks' "
                                 "skill reaches .5, it cannot be told",
                                 "前两个主成分中恒速的圆解释不足 .5、且每步一个旋转的技能低于 .5 "
                                 "则成立（没有螺旋）；其一达到 .8 则不成立；其余情形，或构造的螺旋的圆不足 "
                                 ".8、随机游走的技能达到 .5 时，无法判断"},
                 .inference = {"that two components are too few follows if one rotation per step has a skill of .5 "
                               "in 16 components and .2 less in two; otherwise it does not follow; not tested where "
                               "the table has fewer components",
                               "若每步一个旋转在 16 个主成分中的技能达到 .5，而在 2 个中低 "
                               ".2 以上，则“两个维度太少”可推出；否则推不出；主成分不足时未检验"},
                 .judge = judge_path}},
      .run = run_path,
      .answer = answer_path};
}

}  // namespace summand::lab
