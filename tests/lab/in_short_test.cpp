#include "lab/results/in_short.hpp"

#include <doctest/doctest.h>

#include <list>
#include <map>
#include <string>
#include <vector>

#include "lab/results/learned.hpp"
#include "lab/results/outcome.hpp"

using namespace summand::lab;

namespace {

LocalizedText answer_of_test(const Findings& findings, const std::map<std::string, Verdict>& /*verdicts*/) {
  if (!findings.gaps.empty()) return gap_answer(findings.gaps.begin()->second);
  return {"No: 1 circle has 11 % of the variance.", "不是：1 个圆占方差的 11%。"};
}

Number number(std::string name, double value, double null = 0, Interval draws = {0, 0}) {
  return {.name = std::move(name),
          .label = {"a number", "一个数"},
          .value = value,
          .interval = Interval{value, value},
          .null = ReferenceValue{null, draws, {"null", "阴性对照"}},
          .control = ReferenceValue{1, {}, {"control", "阳性对照"}}};
}

/// A run, experiment by experiment.
class Run {
 public:
  Run& add(const std::string& name, const std::string& claim, Observation observation, std::vector<Number> numbers) {
    ExperimentResult& report = new_report(name, claim);
    for (auto& one : numbers) report.findings.numbers[claim].add(std::move(one));
    report.verdicts[claim] = {observation, Inference::not_tested, {"so", "如此"}};
    return *this;
  }
  Run& gap(const std::string& name, const std::string& claim, LocalizedText why) {
    ExperimentResult& report = new_report(name, claim);
    report.findings.gaps[claim] = std::move(why);
    report.verdicts[claim] = {Observation::not_measured, Inference::not_tested, {}};
    return *this;
  }
  [[nodiscard]] InShort in_short() const { return summand::lab::in_short(reports_); }

 private:
  ExperimentResult& new_report(const std::string& name, const std::string& claim) {
    experiments_.emplace_back();
    experiments_.back().name = name;
    experiments_.back().rules = {{.claim = claim, .observation = {}, .inference = {}}};
    experiments_.back().answer = answer_of_test;
    ExperimentResult report;
    report.experiment = &experiments_.back();
    reports_.push_back(std::move(report));
    return reports_.back();
  }
  std::list<Experiment> experiments_;
  std::vector<ExperimentResult> reports_;
};

/// What 3.5 finds: kept over 1, 4, 8 and 32 positions, where both kinds of random tables keep .7 to .8.
std::vector<Number> kept(std::vector<double> values) {
  std::vector<Number> numbers;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string shift = std::vector<std::string>{"1", "4", "8", "32"}[i];
    numbers.push_back(number("kept_" + shift, values[i], 0.75, {0.7, 0.8}));
    Number phases = number("joint_phases_" + shift, 0.75);
    phases.interval = Interval{0.7, 0.8};
    numbers.push_back(phases);
  }
  return numbers;
}

std::vector<Number> neighbours(double near) {
  return {number("continuity_5", near, 0.02), number("random_walk_continuity_5", 1)};
}

std::vector<std::string> names(const InShort& known) {
  std::vector<std::string> list;
  for (const auto& one : known.learned) list.push_back(one.name.en);
  return list;
}

}  // namespace

TEST_CASE("what the table has learned is said positively, the strongest first, with its number") {
  Run run;
  run.add("spectrum", "E3", Observation::holds,
          {number("components_above_1_percent", 14), number("left_by_18", 0.11, 0.4)})
      .add("continuity", "0.9", Observation::holds, neighbours(0.57))
      .add("relative_position", "3.5", Observation::fails, kept({0.92, 0.62, 0.32, 0.21}))
      .add("clocks", "X1", Observation::fails, {number("circle_share", 0.11)});
  const InShort known = run.in_short();
  CHECK(names(known) ==
        std::vector<std::string>{"One motion over a single step, not over many", "A smooth path", "A few directions"});
  CHECK(known.table->lead == known.learned.front().name);
  CHECK(known.learned[0].words.en.find("0.92") != std::string::npos);
  CHECK(known.learned[0].words.en.find("0.80") != std::string::npos);
  CHECK(known.learned[0].words.en.find("Shifted by 4: 0.62.") != std::string::npos);
  CHECK(known.learned[0].number == "kept_1");
  CHECK_FALSE(known.learned[0].is_verdict);
  CHECK(known.learned[1].words.en.find("57 %") != std::string::npos);
  CHECK(known.learned[1].is_verdict);
  CHECK(known.circles.en == "No: 1 circle has 11 % of the variance.");
  CHECK(known.not_run.empty());
}

TEST_CASE("circles come first, and one motion at every step is the verdict of 3.5") {
  Run run;
  run.add("relative_position", "3.5", Observation::holds, kept({1, 1, 1, 0.99}))
      .add("clocks", "X1", Observation::holds, {number("least_circle_share", 0.64)});
  const InShort known = run.in_short();
  CHECK(names(known) == std::vector<std::string>{"Circles that turn with position", "One motion at every step"});
  CHECK(known.circles.en.empty());
  CHECK(known.learned[1].is_verdict);
  CHECK(known.not_run == std::vector<std::string>{"continuity", "spectrum"});
}

TEST_CASE("a step counts as one motion where random tables of the same lag kernel keep less, and nearly all is kept") {
  const auto known_of = [](std::vector<Number> numbers) {
    Run run;
    run.add("relative_position", "3.5", Observation::cannot_be_told, std::move(numbers));
    return run.in_short();
  };
  const auto learned_of = [&](std::vector<Number> numbers) { return names(known_of(std::move(numbers))); };
  CHECK(learned_of(kept({0.99, 0.96, 0.87, 0.54})) ==
        std::vector<std::string>{"One motion over steps of up to 4 positions, not over longer ones"});
  CHECK(learned_of(kept({0.89, 0.96, 0.97, 0.98})).empty());  // not from one to the next: no beginning
  auto in_all = kept({0.95, 0.5, 0.5, 0.5});
  for (auto& one : in_all) one.null = ReferenceValue{0.95, Interval{0.9, 0.96}, {"Gaussian", "高斯"}};
  CHECK(learned_of(in_all).empty());
  auto walk = kept({0.999, 0.995, 0.98, 0.97});  // what a random walk has, and its Gaussian tables
  for (auto& one : walk) one.null = ReferenceValue{0.995, Interval{0.994, 0.997}, {"Gaussian", "高斯"}};
  CHECK(learned_of(walk).empty());
  auto in_copies = kept({0.95, 0.5, 0.5, 0.5});
  in_copies[1].interval = Interval{0.9, 0.96};
  CHECK(known_of(in_copies).table->text.en.find("joint random phases: 0.900 to 0.960") != std::string::npos);
  CHECK(known_of(kept({0.95, 0.5, 0.5, 0.5})).table->text.en.find("Copies") == std::string::npos);
}

TEST_CASE("a table of random rows, a model without a table, and a run that did not ask are three answers") {
  Run noise;
  noise.add("continuity", "0.9", Observation::fails, neighbours(0.021))
      .add("clocks", "X1", Observation::fails, {number("circle_share", 0)});
  CHECK(noise.in_short().learned.empty());
  CHECK(noise.in_short().table->lead.en == "Nothing beyond noise.");
  CHECK(noise.in_short().table->text.en.find("2 % are within five positions of it; in white noise 2 %") !=
        std::string::npos);

  Run without;
  without.gap("clocks", "X1", no_position_table()).gap("decoding", "3.1", no_position_table());
  CHECK(without.in_short().table->lead.en == "There is none.");
  CHECK(without.in_short().adding->text.en.find("no table of positions") != std::string::npos);

  Run short_table;
  short_table.gap("clocks", "X1", {"needs 128 rows", "需要 128 行"});
  CHECK(short_table.in_short().table->text.en == "Not measured: needs 128 rows.");

  Run nothing;
  CHECK_FALSE(nothing.in_short().table);
  CHECK_FALSE(nothing.in_short().adding);
  CHECK(nothing.in_short().not_run == experiments_of_table());

  Run untold;  // one experiment, which tells nothing
  untold.add("clocks", "X1", Observation::cannot_be_told, {number("circle_share", 0.3)});
  CHECK(untold.in_short().table->text.en == "No: 1 circle has 11 % of the variance.");
}

TEST_CASE("whether adding hurts is answered by 3.1, whose own yes or no asks the reverse") {
  for (const auto& [observation, lead] : std::map<Observation, std::string>{
           {Observation::fails, "Not at the input: all three parts can be read back from the sum."},
           {Observation::holds, "Yes: the parts can no longer be read back from the sum."},
           {Observation::cannot_be_told, ""}}) {
    Run run;
    run.add("decoding", "3.1", observation, {number("sum_exact", 1)});
    const auto answer = run.in_short().adding;
    CHECK(answer->lead.en == lead);
    CHECK(answer->text.en == (lead.empty() ? "No: " : "") + std::string("1 circle has 11 % of the variance."));
  }
  CHECK(behind_yes_or_no({"Yes. All is found.", "能。全部找回。"}) == LocalizedText{"All is found.", "全部找回。"});
  CHECK(behind_yes_or_no({"no such beginning", "没有这样的开头"}) ==
        LocalizedText{"no such beginning", "没有这样的开头"});
}
