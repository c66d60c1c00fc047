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

namespace path {
namespace {

constexpr Eigen::Index kComponents = 6;  // among which a circle and an axis are looked for
constexpr int kFrequencies = 400;
constexpr double kLeastTurns = 1;  // under one turn an arc is no spiral
constexpr double kMostTurns = 40;
constexpr double kNoSpiral = 0.5;
constexpr double kSpiral = 0.8;
constexpr size_t kLeastPathRows = 64;
constexpr size_t kFew = 2;  // components that a rotation per step acts on
constexpr size_t kMany = 16;
constexpr double kSkilled = 0.5;  // in many components
constexpr double kLess = 0.2;     // than that, in few
constexpr double kPlantedTurns = 3;
constexpr int kTurned = 35;  // degrees, how the path is seen in space
constexpr int kTilted = 25;

constexpr size_t kDraws = 11;
constexpr size_t kDrawsQuick = 3;

constexpr NumberName kSkillFew{"path", "shift_skill_2"};
constexpr NumberName kSkillMany{"path", "shift_skill_16"};
constexpr NumberName kCircle{"path", "plane_circle_r2"};
constexpr NumberName kHelix{"path", "helix_r2"};
constexpr NumberName kTurns{"path", "helix_turns"};
constexpr NumberName kFirstTwo{"path", "first_two_components"};

/// What the texts say of the constants.
Fills settings() {
  return {{"least_turns", kLeastTurns},
          {"most_turns", kMostTurns},
          {"no_spiral", kNoSpiral},
          {"spiral", kSpiral},
          {"few", kFew},
          {"many", kMany},
          {"skilled", kSkilled},
          {"less", kLess},
          {"turned", kTurned},
          {"tilted", kTilted}};
}

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
  double step_few = 0;   ///< skill of one rotation per step in two components, at whatever pace
  double step_many = 0;  ///< and in 16, where the table has as many
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
  best.step_few = step_skill(table, kFew);
  best.step_many = step_skill(table, kMany);
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
    const double angle = 2 * std::numbers::pi * kPlantedTurns * t;
    table(i, 0) += 8 * std::cos(angle);
    table(i, 1) += 8 * std::sin(angle);
    table(i, 2) += 16 * (t - 0.5);
  }
  return table;
}

Figure path_figure(const Table& table) {
  using namespace chart;
  const auto text = [](const char* name) {
    return wording(std::string("path.figures.path-planes.") + name, settings());
  };
  const auto components = principal_components(table, 3);
  std::vector<double> position;
  std::array<std::vector<double>, 3> scores;
  // The same three seen from the side and from above: turned about the third, then tilted.
  constexpr double kTurn = kTurned * std::numbers::pi / 180;
  constexpr double kTilt = kTilted * std::numbers::pi / 180;
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
                        {{"x", x}, {"y", y}, {"order", number("position", text("position"), "d")}}),
                   mark({{"type", "circle"}, {"size", 18}, {"opacity", 1}},
                        {{"x", x},
                         {"y", y},
                         {"color", scaled(number("position", text("position"), "d"), {{"scheme", "viridis"}})}})});
  };
  const Json one = place("c1", text("first"));
  const Json two = place("c2", text("second"));
  const Json three = place("c3", text("third"));
  return {.name = "path-planes",
          .title = text("title"),
          .caption = text("caption"),
          .specification = side_by_side({plane(one, two), plane(one, three), plane(two, three),
                                         plane(place("across", text("across")), place("up", text("up")))},
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
                          .of_control = wording("path.planted")};
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
  const size_t draws = conditions.quick ? kDrawsQuick : kDraws;
  if (conditions.quick) {
    findings.left_out.push_back(wording("path.left_out", {{"few_draws", kDrawsQuick}, {"many_draws", kDraws}}));
  }
  Numbers& numbers = findings.numbers["E4"];
  for (const auto& part : position_parts(table)) {
    if (part.name == "without_row_0" || lacking(part.rows, kLeastPathRows, 3)) continue;
    const auto spiral = compared_spiral(part.rows, part.name, draws, conditions);
    const bool whole = part.name == "all";
    Fills fills = settings();
    fills.emplace_back("part", whole ? Words{} : Words{": " + part.words.en, "：" + part.words.zh});
    const auto add = [&](const NumberName& name, double Spiral::*of) {
      const auto read = [of](const Spiral& one) { return one.*of; };
      numbers.add(whole ? spiral.number(name, read, fills) : spiral.number(name, part.name, read, fills));
    };
    add(kSkillFew, &Spiral::step_few);
    add(kCircle, &Spiral::plane);
    add(kHelix, &Spiral::helix);
    if (!whole) continue;
    add(kTurns, &Spiral::turns);
    add(kFirstTwo, &Spiral::first_two);
    if (!lacking(table, kLeastPathRows, kMany)) add(kSkillMany, &Spiral::step_many);
    conditions.progress(0.5);
  }
  findings.figures.push_back(path_figure(table));
  conditions.progress(1);
  return findings;
}

Verdict judge_path(const Numbers& numbers) {
  const double plane = numbers.value(kCircle);
  const double two = numbers.value(kSkillFew);
  const double most = std::max(plane, two);
  Verdict verdict;
  if (numbers.control(kCircle) < kSpiral || numbers.null(kSkillFew) >= kNoSpiral) {
    verdict.observation = Observation::cannot_be_told;
  } else if (most < kNoSpiral) {
    verdict.observation = Observation::holds;
  } else if (most >= kSpiral) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  double many = 0;
  if (std::ranges::count(numbers.all(), kSkillMany.name, &Number::name) > 0) {
    many = numbers.value(kSkillMany);
    verdict.inference = many >= kSkilled && many - two >= kLess ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason =
      wording("path.reason",
              {{"plane", plane}, {"walk", numbers.null(kCircle)}, {"in_two", two}, {"in_many", many}, {"many", kMany}});
  return verdict;
}

Words answer_path(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E4")) return findings.gaps.at("E4");
  const Numbers& numbers = findings.numbers.at("E4");
  const auto observation = verdicts.at("E4").observation;
  const Words spiral = wording(observation == Observation::holds   ? "path.spiral.none"
                               : observation == Observation::fails ? "path.spiral.round"
                                                                   : "path.spiral.not_told");
  return wording("path.answer", {{"spiral", spiral},
                                 {"variance_percent", 100 * numbers.value(kFirstTwo)},
                                 {"skill", numbers.value(kSkillFew)},
                                 {"walk_skill", numbers.null(kSkillFew)},
                                 {"circle_percent", 100 * numbers.value(kCircle)},
                                 {"walk_circle_percent", 100 * numbers.null(kCircle)}});
}

}  // namespace
}  // namespace path

Experiment path_experiment() {
  using namespace path;
  Experiment experiment = described_experiment("path", settings());
  experiment.effort = 3;
  experiment.rules = {described_rule("path", "E4", judge_path, settings())};
  experiment.run = run_path;
  experiment.answer = answer_path;
  return experiment;
}

}  // namespace summand::lab
