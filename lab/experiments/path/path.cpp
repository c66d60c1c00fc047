// E4: is the path of the positions a spiral in its first components, and are two of them too few?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/path/course.hpp"
#include "lab/experiments/path/winding.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace path {
namespace {

using Eigen::Index;

constexpr double kNoSpiral = 0.5;
constexpr double kSpiral = 0.8;
constexpr size_t kLeastPathRows = 64;
constexpr double kFew = 0.5;  // of what all rows' distances tell: two components are too few
constexpr double kEnough = 0.8;
constexpr double kTold = 0.2;  // of all squared distances n − m has to tell so much that there is something to show
constexpr double kPlantedTurns = 3;
constexpr int kTurned = 35;  // degrees, how the path is seen in space
constexpr int kTilted = 25;

constexpr size_t kDraws = 19;
constexpr size_t kDrawsQuick = 11;
constexpr size_t kDrawsPart = 3;  // beside parts, which decide nothing

constexpr NumberName kSpiralR2{"path", "spiral_r2"};  // the first two decide
constexpr NumberName kHelixR2{"path", "helix_r2"};
constexpr NumberName kNear{"path", "near_r2"};
constexpr NumberName kRing{"path", "ring_share"};
constexpr NumberName kAngle{"path", "degrees_per_step"};
constexpr NumberName kWinding{"path", "winding_r2"};
constexpr NumberName kGrowth{"path", "radius_growth"};
constexpr NumberName kFirstTwo{"path", "first_two_components"};
constexpr NumberName kToldByTwo{"path", "told_by_two"};
constexpr NumberName kToldNearby{"path", "told_nearby"};
constexpr NumberName kToldByAll{"path", "told_by_all"};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"least_turns", kLeastTurns},
          {"least_uneven_turns", kLeastUnevenTurns},
          {"growth", kLeastGrowth},
          {"near_growth", kNearGrowth},
          {"roundness", kLeastRoundness},
          {"one_step", kOneStep},
          {"one_way", kGrowsOneWay},
          {"blocks", kRadiusBlocks},
          {"no_spiral", kNoSpiral},
          {"spiral", kSpiral},
          {"few", kFew},
          {"enough", kEnough},
          {"told", kTold},
          {"nearest", kNearest},
          {"planted_turns", kPlantedTurns},
          {"turned", kTurned},
          {"tilted", kTilted}};
}

/// Three turns around an axis, and noise of a tenth in every direction.
Table planted_helix(Shape shape, RandomStream& stream) {
  Table table = 0.1 * white_noise(shape, stream);
  for (Index i = 0; i < table.rows(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(shape.rows);
    const double angle = 2 * std::numbers::pi * kPlantedTurns * t;
    table(i, 0) += 8 * std::cos(angle);
    table(i, 1) += 8 * std::sin(angle);
    table(i, 2) += 16 * (t - 0.5);
  }
  return table;
}

/// Three turns in a plane, the radius growing from 2 to 12, and the same noise.
Table planted_spiral(Shape shape, RandomStream& stream) {
  Table table = 0.1 * white_noise(shape, stream);
  for (Index i = 0; i < table.rows(); ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(shape.rows);
    const double angle = 2 * std::numbers::pi * kPlantedTurns * t;
    table(i, 0) += (2 + 10 * t) * std::cos(angle);
    table(i, 1) += (2 + 10 * t) * std::sin(angle);
  }
  return table;
}

Figure path_figure(const Table& table) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("path.figures.path-planes.") + name, settings());
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
  const auto place = [](const char* field, const LocalizedText& title) {
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

/// A part's course, and those of as many rows of random walks.
struct ComparedCourse {
  Course own;
  std::vector<Course> walks;
};

ComparedCourse compared_course(const PlacedRows& rows, const std::string& name, size_t draws,
                               const Conditions& conditions) {
  const Shape shape{.rows = static_cast<size_t>(rows.rows.rows()), .columns = static_cast<size_t>(rows.rows.cols())};
  ComparedCourse course{.own = course_of(rows), .walks = std::vector<Course>(draws)};
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("path: random walk {} {}", name, i));
    course.walks[i] = course_of(placed_rows(random_walk(shape, stream)));
  });
  return course;
}

/// A planted path, and what it is.
struct Control {
  Course course;
  LocalizedText of;
};

bool are_few(const PlacedRows& rows) {
  return lacking(rows.rows, kLeastPathRows, static_cast<size_t>(kComponents)).has_value();
}

/// Rows that are looked at.
struct RowsOf {
  std::string name;  ///< empty: those that the claim is judged by
  LocalizedText words;
  PlacedRows rows;
};

/// Ordinary rows, which the claim is judged by: a few of outlying norm would decide what components there are. Beside
/// them all rows, and parts. Where few are ordinary, all are judged.
std::vector<RowsOf> rows_of(const Table& table) {
  PlacedRows ordinary = placed_rows(table, outlying_rows(table));
  if (are_few(ordinary)) ordinary = placed_rows(table);
  std::vector<RowsOf> all{{"", {}, std::move(ordinary)}};
  for (const auto& part : position_parts(table)) {
    all.push_back({part.name, {": " + part.words.en, "：" + part.words.zh}, placed_rows(part.rows)});
  }
  return all;
}

Findings run_path(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  if (const auto gap = lacking(table, kLeastPathRows, static_cast<size_t>(kComponents))) {
    findings.gaps["E4"] = *gap;
    return findings;
  }
  const size_t draws = conditions.quick ? kDrawsQuick : kDraws;
  if (conditions.quick) {
    findings.left_out.push_back(localize("path.left_out", {{"few_draws", kDrawsQuick}, {"many_draws", kDraws}}));
  }
  const Shape shape{.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
  RandomStream of_helix(conditions.seed, "path: helix");
  RandomStream of_spiral(conditions.seed, "path: spiral");
  const Control helix{course_of(placed_rows(planted_helix(shape, of_helix))),
                      localize("path.planted.helix", settings())};
  const Control spiral{course_of(placed_rows(planted_spiral(shape, of_spiral))),
                       localize("path.planted.spiral", settings())};
  Numbers& numbers = findings.numbers["E4"];
  const auto parts = rows_of(table);
  for (size_t p = 0; p < parts.size(); ++p) {
    const auto& part = parts[p];
    const bool decides = p == 0;
    if (!decides && are_few(part.rows)) continue;
    const auto course = compared_course(part.rows, part.name, decides ? draws : kDrawsPart, conditions);
    FormatArgs args = settings();
    args.emplace_back("part", part.words);
    const auto with_references = [&](NumberBuilder number, double Course::*of, const Control& control) {
      std::vector<double> walks;
      for (const auto& one : course.walks) walks.push_back(one.*of);
      std::optional<Interval> range;
      if (walks.size() >= kMinDrawsForInterval) range = middle_95_percent(walks);
      numbers.add(number.null(median(walks), words_of_median(Surrogate::random_walk, walks.size()), range)
                      .control(control.course.*of, control.of));
    };
    const auto add = [&](const NumberName& name, double Course::*of, const Control& control) {
      const double own = course.own.*of;
      with_references(decides ? NumberBuilder(name, own, args) : NumberBuilder(name, part.name, own, args), of,
                      control);
    };
    add(kSpiralR2, &Course::spiral, spiral);
    add(kHelixR2, &Course::helix, helix);
    add(kRing, &Course::ring, helix);
    if (decides) {
      add(kNear, &Course::near, helix);
      add(kAngle, &Course::angle, helix);
      add(kWinding, &Course::winding, spiral);
      add(kGrowth, &Course::growth, spiral);
      add(kFirstTwo, &Course::first_two, helix);
      with_references({kToldByTwo, course.own.told_by_two}, &Course::told_by_two, helix);
      with_references({kToldNearby, course.own.told_nearby, settings()}, &Course::told_nearby, helix);
      with_references({kToldByAll, course.own.told_by_all}, &Course::told_by_all, helix);
    }
    conditions.progress(0.2 + 0.7 * static_cast<double>(p + 1) / static_cast<double>(parts.size()));
  }
  findings.figures.push_back(path_figure(table));
  conditions.progress(1);
  return findings;
}

Observation evaluate(double spiral, double helix) {
  const double most = std::max(spiral, helix);
  if (most < kNoSpiral) return Observation::holds;
  return most >= kSpiral ? Observation::fails : Observation::cannot_be_told;
}

/// Whether the path in the first two components is one circle, as X1 finds circles.
bool is_ring(const Numbers& numbers) {
  return numbers.value(kRing) >= circle_rule::kMostOf;
}

/// "; R² of a helix in the first three components: from position 128 0.86": parts that do what the whole does not.
LocalizedText found_in_parts(const Numbers& numbers, Observation observation) {
  LocalizedText found;
  if (observation == Observation::fails) return found;
  for (const Number& number : numbers.all()) {
    const bool of_part = std::ranges::any_of(std::array{kSpiralR2, kHelixR2}, [&](const NumberName& family) {
      return number.name.starts_with(family.of(""));
    });
    if (!of_part || number.value < kSpiral) continue;
    const LocalizedText one = localize("path.reason.part", {{"what", number.label}, {"r2", number.value}});
    found.en += one.en;
    found.zh += one.zh;
  }
  return found;
}

/// Whether what misses the definition by little keeps the verdict open.
bool is_near(const Numbers& numbers) {
  return std::max(numbers.value(kSpiralR2), numbers.value(kHelixR2)) < kNoSpiral && numbers.value(kNear) >= kNoSpiral;
}

/// "; 0.93 of a spiral that grows by less …", where that keeps the verdict open.
LocalizedText near_of(const Numbers& numbers) {
  const double near = numbers.value(kNear);
  return is_near(numbers) ? localize("path.reason.near", {{"near", near}}) : LocalizedText{};
}

Verdict judge_path(const Numbers& numbers) {
  const double spiral = numbers.value(kSpiralR2);
  const double helix = numbers.value(kHelixR2);
  // The planted spiral and helix have to be found, and walks have to show neither.
  const bool controls_pass = evaluate(numbers.control(kSpiralR2), 0) == Observation::fails &&
                             evaluate(0, numbers.control(kHelixR2)) == Observation::fails &&
                             evaluate(numbers.at(kSpiralR2).null->interval->high,
                                      numbers.at(kHelixR2).null->interval->high) == Observation::holds;
  Verdict verdict;
  verdict.observation = observation_if(controls_pass, evaluate(spiral, helix));
  verdict.number = helix > spiral ? kHelixR2.name : kSpiralR2.name;
  if (verdict.observation == Observation::holds && is_near(numbers)) {
    verdict.observation = Observation::cannot_be_told;
    verdict.number = kNear.name;
  }
  const double by_two = numbers.value(kToldByTwo);
  const double by_all = numbers.value(kToldByAll);
  verdict.inference = Inference::not_tested;
  if (by_all >= kTold && by_two < kFew) {
    verdict.inference = Inference::follows;
    verdict.conclusion = Truth::true_here;
  } else if (std::min({by_all, by_two, numbers.value(kToldNearby)}) >= kEnough) {
    verdict.inference = Inference::does_not_follow;
    verdict.conclusion = Truth::false_here;
  }
  LocalizedText ring;
  if (is_ring(numbers)) {
    ring = localize("path.reason.ring", {{"degrees", numbers.value(kAngle)}, {"times", numbers.value(kGrowth)}});
  }
  verdict.reason = localize("path.reason.measured", {{"spiral_r2", spiral},
                                                     {"helix_r2", helix},
                                                     {"walk_spiral", numbers.at(kSpiralR2).null->interval->high},
                                                     {"walk_helix", numbers.at(kHelixR2).null->interval->high},
                                                     {"near", near_of(numbers)},
                                                     {"ring", ring},
                                                     {"parts", found_in_parts(numbers, verdict.observation)},
                                                     {"by_two", by_two},
                                                     {"nearby", numbers.value(kToldNearby)},
                                                     {"by_all", by_all},
                                                     {"ring_percent", 100 * numbers.value(kRing)}});
  return verdict;
}

LocalizedText answer_path(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E4")) return gap_answer(findings.gaps.at("E4"));
  const Numbers& numbers = findings.numbers.at("E4");
  const auto observation = verdicts.at("E4").observation;
  const LocalizedText spiral = localize(observation == Observation::holds   ? "path.answer.none"
                                        : observation == Observation::fails ? "path.answer.found"
                                                                            : "path.answer.not_told");
  const LocalizedText course =
      localize(is_ring(numbers) ? "path.answer.ring" : "path.answer.no_ring",
               {{"degrees", numbers.value(kAngle)}, {"ring_percent", 100 * numbers.value(kRing)}});
  return localize("path.answer.whole", {{"spiral", spiral},
                                        {"course", course},
                                        {"variance_percent", 100 * numbers.value(kFirstTwo)},
                                        {"by_two_percent", 100 * numbers.value(kToldByTwo)}});
}

}  // namespace
}  // namespace path

Experiment path_experiment() {
  using namespace path;
  Experiment experiment = described_experiment("path", settings());
  experiment.effort = 11;
  experiment.rules = {described_rule("path", "E4", judge_path, settings(), {.kind = Kind::data})};
  experiment.run = run_path;
  experiment.answer = answer_path;
  return experiment;
}

}  // namespace summand::lab
