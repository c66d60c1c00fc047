// How often the rules are right where the truth is known: counted, kept, read again, and kept up with the rules.
#include "lab/calibration/calibration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random_stream.hpp"
#include "lab/calibrate/calibrate.hpp"
#include "lab/calibrate/kept_counts.hpp"
#include "lab/calibrate/planting.hpp"
#include "lab/calibration/calibration_file.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/plant/small_model.hpp"
#include "lab/results/rule_state.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/statistics/proportion.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

using enum Observation;

const std::string kRecalibrate =
    "build/bin/summand lab calibrate -o calibration; cp calibration/calibration.json lab/calibration/";

/// Three truths of a family of two claims, made up.
std::vector<JudgedTruth> three_truths() {
  const auto truth = [](Observation first, double number, Observation second, std::vector<bool> stable) {
    JudgedTruth one;
    one.quick = {{first, {number}}, {second, {}}};
    one.stable_quick = std::move(stable);
    return one;
  };
  return {truth(holds, 1, fails, {true, true}), truth(cannot_be_told, 2, not_measured, {false, true}),
          truth(holds, 3, holds, {})};
}

CalibratedFamily family(bool is_true, VerdictCounts quick, Rate stable) {
  return {.name = is_true ? "planted" : "noise",
          .words = {"what is planted", "构造的样例"},
          .size = "192 x 48",
          .is_true = is_true,
          .quick = JudgedTruths{.counts = quick, .stable = stable, .number = Quantiles{1, 2, 3, 4, 5}},
          .full = {}};
}

Calibration two_claims() {
  Calibration made;
  made.claims.push_back({.claim = "E3",
                         .experiment = "spectrum",
                         .rule = "0123456789abcdef",
                         .version = "0.1.0",
                         .seed = 7,
                         .number = "components",
                         .label = {"components", "主成分"},
                         .thresholds = {{"fewest", 6}},
                         .lacking = {},
                         .families = {family(true, {.holds = 90, .fails = 4, .cannot_be_told = 6}, {9, 10}),
                                      family(false, {.holds = 2, .fails = 97, .not_measured = 1}, {10, 10}),
                                      family(true, {.holds = 10}, {0, 0})}});
  made.claims.push_back({.claim = "Q1",
                         .experiment = "self_match",
                         .rule = "fedcba9876543210",
                         .version = "0.1.0",
                         .number = "own_first",
                         .label = {"share", "比例"},
                         .lacking = {"nothing true", "无真"},
                         .families = {family(false, {.cannot_be_told = 10}, {1, 2})}});
  made.without.push_back({"Q9", "score_scale", {"a question", "只是提问"}});
  return made;
}

/// The rules of data that are registered.
struct DataRule {
  const Experiment* experiment;
  const Rule* rule;
};
std::vector<DataRule> data_rules() {
  std::vector<DataRule> rules;
  for (const auto& experiment : experiments()) {
    for (const auto& rule : experiment.rules) {
      if (rule.decision.kind == Kind::data) rules.push_back({&experiment, &rule});
    }
  }
  return rules;
}

bool is_planted(const std::string& claim, bool is_true) {
  return std::ranges::any_of(plantings(), [&](const Planting& planting) {
    return std::ranges::any_of(
        planting.truths, [&](const PlantedTruth& truth) { return truth.claim == claim && truth.is_true == is_true; });
  });
}

const Planting& planting(const std::string& name) {
  return *std::ranges::find(plantings(), name, &Planting::name);
}

}  // namespace

TEST_CASE("Wilson's interval is the score test's") {
  // By hand, of 8 of 10: (0.8 + z²/20 ± z √(0.016 + z²/400)) / (1 + z²/10), z = 1.959964.
  const Interval of_ten = wilson_proportion(8, 10);
  CHECK(of_ten.low == doctest::Approx(0.4901625).epsilon(1e-6));
  CHECK(of_ten.high == doctest::Approx(0.9433178).epsilon(1e-6));
  const Interval none = wilson_proportion(0, 100);
  CHECK(none.low == 0);
  CHECK(none.high == doctest::Approx(0.0369935).epsilon(1e-5));
  CHECK(wilson_proportion(100, 100).high == 1);
  CHECK(wilson_proportion(100, 100).low == doctest::Approx(1 - none.high));
  CHECK_THROWS_AS(static_cast<void>(wilson_proportion(0, 0)), UsageError);
  CHECK_THROWS_AS(static_cast<void>(wilson_proportion(3, 2)), UsageError);
}

TEST_CASE("a difference of matched shares has a width where nothing is seen") {
  // Agresti & Min 2005, section 3: (b - c) / (n + 2), and its deviation with half a trial in each cell.
  std::vector<double> differences(69, 0);
  std::fill_n(differences.begin(), 6, -1.0);
  const Interval six = difference_of_matched_shares(differences);
  const double half = 1.959963984540054 * std::sqrt(7.0 - 36.0 / 71) / 71;
  CHECK(six.low == doctest::Approx(-6.0 / 71 - half));
  CHECK(six.high == doctest::Approx(-6.0 / 71 + half));
  const Interval none = difference_of_matched_shares(std::vector<double>(69, 0));
  CHECK(none.low == doctest::Approx(-1.959963984540054 / 71));
  CHECK(none.high == doctest::Approx(-none.low));
  CHECK_THROWS_AS((void)difference_of_matched_shares({}), UsageError);
}

TEST_CASE("verdicts of a family are counted claim by claim, with the quantiles of its number and what seeds change") {
  const Planting& white = planting("white");
  const auto first = counted(white, "192 x 48", true, 0, three_truths());
  REQUIRE(first.quick);
  CHECK(first.quick->counts.holds == 2);
  CHECK(first.quick->counts.cannot_be_told == 1);
  CHECK(first.quick->counts.total() == 3);
  CHECK(first.quick->stable.seen == 1);
  CHECK(first.quick->stable.of == 2);
  CHECK(first.quick->number->middle == 2);
  CHECK(first.quick->number->lowest == doctest::Approx(1.05));
  CHECK_FALSE(first.full);
  CHECK(first.words == white.words());
  const auto second = counted(white, "192 x 48", false, 1, three_truths());
  CHECK(second.quick->counts.fails == 1);
  CHECK(second.quick->counts.not_measured == 1);
  CHECK(second.quick->stable.seen == 2);
  CHECK_FALSE(second.quick->number);
}

TEST_CASE("power is of all true families, the false-positive rate of all false ones") {
  const Calibration made = two_claims();
  const CalibratedClaim& e3 = *made.find("E3");
  CHECK(e3.power(RunLength::quick)->seen == 100);
  CHECK(e3.power(RunLength::quick)->of == 110);
  CHECK(e3.power(RunLength::quick)->value() == doctest::Approx(100.0 / 110));
  CHECK(e3.power(RunLength::quick)->interval().low == doctest::Approx(wilson_proportion(100, 110).low));
  CHECK(e3.false_positives(RunLength::quick)->seen == 2);
  CHECK(e3.false_positives(RunLength::quick)->of == 100);  // what was not measured is not judged "holds"
  CHECK(e3.rate(true, fails, RunLength::quick)->seen == 4);
  CHECK(e3.stability(RunLength::quick)->seen == 19);
  CHECK(e3.stability(RunLength::quick)->of == 20);
  CHECK_FALSE(e3.power(RunLength::full));
  CHECK_FALSE(made.find("Q1")->power(RunLength::quick));
  CHECK(made.find("Q2") == nullptr);
}

TEST_CASE("a claim that was measured by quick draws alone keeps the counts by full ones of the same rule and truths") {
  Calibration shipped = two_claims();
  CalibratedClaim& before = shipped.claims.front();
  for (auto& family : before.families) family.full = JudgedTruths{.counts = {.holds = 40}, .stable = {3, 3}};
  const CalibratedClaim measured = two_claims().claims.front();
  const auto full_counts = [&](const auto& change) {
    CalibratedClaim earlier = before;
    change(earlier);
    Calibration made{.claims = {measured}, .without = {}};
    keep_other_counts(made.claims.front(), &earlier);
    CHECK(made.claims.front().families[0].quick->counts.holds == 90);  // what was measured stays
    const LocalizedText line = words_of_counts(made, {.claims = {earlier}, .without = {}}, {"E3"}, true);
    return std::pair(made.claims.front().power(RunLength::full).has_value(), line.en);
  };
  const auto same = full_counts([](CalibratedClaim&) {});
  CHECK(same.first);
  CHECK(same.second == "measured by this command: E3 (quick draws); kept as they stood: E3 (full draws)");
  const std::string let_go =
      "measured by this command: E3 (quick draws); not kept, measured by another rule or with other truths or another "
      "seed: E3 (full draws)";
  const auto lost = std::pair(false, let_go);
  CHECK(full_counts([](CalibratedClaim& one) { one.rule = "another"; }) == lost);
  CHECK(full_counts([](CalibratedClaim& one) { one.seed = 8; }) == lost);
  CHECK(full_counts([](CalibratedClaim& one) { one.number = "another"; }) == lost);
  CHECK(full_counts([](CalibratedClaim& one) { one.families[1].words.en = "another range"; }) == lost);
  CHECK(full_counts([](CalibratedClaim& one) { one.families.pop_back(); }) == lost);
  Calibration made{.claims = {measured}, .without = {}};
  keep_other_counts(made.claims.front(), nullptr);
  CHECK_FALSE(made.claims.front().power(RunLength::full));
  CHECK(words_of_counts(shipped, shipped, {"E3"}, false).en ==
        "measured by this command: E3 (quick and full draws); kept as they stood: the rows of all other claims");
}

TEST_CASE("what decides beside the number that is shown is said of rules that there are, in both languages") {
  size_t said = 0;
  for (const auto& experiment : experiments()) {
    for (const auto& rule : experiment.rules) {
      const LocalizedText also = also_decides(rule.claim);
      CHECK(also.en.empty() == also.zh.empty());
      said += also.en.empty() ? 0 : 1;
    }
  }
  CHECK(said > 20);
}

TEST_CASE("calibration.json is read as it was written") {
  const Calibration made = two_claims();
  const std::string text = calibration_json(made);
  const Calibration read = read_calibration(text, "calibration.json");
  CHECK(calibration_json(read) == text);
  REQUIRE(read.claims.size() == 2);
  CHECK(read.claims[0].seed == 7);
  CHECK(read.claims[0].families[1].quick->number->highest == 5);
  CHECK(read.claims[1].lacking.zh == "无真");
  CHECK(read.without.front().reason.en == "a question");
}

TEST_CASE("a file that calibrate did not write is refused by name") {
  for (const char* text : {"[]", "{}", R"({"schema": 2, "claims": [], "without": []})", "{",
                           R"({"schema": 1, "claims": [{"claim": "E3"}], "without": []})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(read_calibration(text, "other.json")), ConfigError);
  }
}

TEST_CASE("the table has a row for what was judged, and why the others were not") {
  const std::string table = calibration_table(two_claims(), Language::en);
  CHECK(table.find("0.91 (0.84-0.95)") != std::string::npos);
  CHECK(table.find("19/20") != std::string::npos);
  CHECK(table.find("a question") != std::string::npos);
  CHECK(calibration_table(two_claims(), Language::zh).find("检出率") != std::string::npos);
}

TEST_CASE("a quick run does not give what fewer than nine in ten truths keep, and says why") {
  const Calibration made = two_claims();
  const Verdict verdict{holds, Inference::follows, {"because", "因为"}};
  CHECK(is_stable_in_quick(made, "E3"));  // 19 of 20
  CHECK_FALSE(is_stable_in_quick(made, "Q1"));
  CHECK(is_stable_in_quick(made, "0.1"));  // not tried
  CHECK(given_in_quick(verdict, made, "E3").observation == holds);
  const Verdict withheld = given_in_quick(verdict, made, "Q1");
  CHECK(withheld.observation == cannot_be_told);
  CHECK(withheld.inference == Inference::not_tested);
  CHECK(withheld.reason.en.find("run without --quick") != std::string::npos);
  CHECK(withheld.reason.en.find("because") != std::string::npos);
  CHECK(withheld.reason.zh.find("--quick") != std::string::npos);
  CHECK(given_in_quick({}, made, "Q1").observation == not_measured);  // a gap is no verdict of draws
  // What the rule itself cannot tell has its own reason, which more draws need not change.
  const Verdict open =
      given_in_quick({cannot_be_told, Inference::not_tested, {"too few circles", "圆太少"}}, made, "Q1");
  CHECK(open.reason.en == "too few circles");
}

TEST_CASE("every claim of data has planted truths, or a reason why not") {
  for (const auto& [experiment, rule] : data_rules()) {
    CAPTURE(rule->claim);
    const bool both = is_planted(rule->claim, true) && is_planted(rule->claim, false);
    const bool one = is_planted(rule->claim, true) != is_planted(rule->claim, false);
    CHECK(one == !why_one_sided(rule->claim).en.empty());
    CHECK((both || one) == why_not_planted(rule->claim).en.empty());
    for (const auto& name : plan_of(rule->claim).thresholds) {
      CAPTURE(name);
      CHECK(std::ranges::find(rule->bars, name, &FormatArg::name) != rule->bars.end());
    }
  }
}

TEST_CASE("every planted truth is of a rule of data, and every family says what it is in both languages") {
  std::set<std::string> known;
  for (const auto& [experiment, rule] : data_rules()) known.insert(rule->claim);
  std::set<std::string> names;
  for (const auto& one : plantings()) {
    CAPTURE(one.name);
    CHECK(names.insert(one.name).second);
    CHECK_FALSE(one.words().en.empty());
    CHECK_FALSE(one.words().zh.empty());
    for (const auto& truth : one.truths) {
      CAPTURE(truth.claim);
      CHECK(known.contains(truth.claim));
    }
  }
}

TEST_CASE("a planted subject depends on the seed and its name alone") {
  for (const char* name : {"clocks", "random_tables"}) {
    CAPTURE(name);
    const auto drawn = [&](uint64_t seed) {
      RandomStream stream(seed, name);
      return planting(name).plant(stream);
    };
    CHECK(drawn(3).positions == drawn(3).positions);
    CHECK(drawn(3).positions != drawn(4).positions);
  }
}

TEST_CASE("a small model is what was put into it, with texts of its words") {
  RandomStream stream(1, "small model");
  SmallModel model({.hidden = 24, .heads = 3, .positions = 40, .words = 30}, stream);
  const Table positions = Table::Constant(40, 24, 0.5);
  model.put_positions(positions);
  model.change("attention.self.query.weight", [](Table& table) { table.setZero(); });
  const Subject subject = model.subject({{.first = {0, 29}, .second = {1}}, {.first = {2}}});
  CHECK(subject.positions == positions);
  CHECK(subject.tokens.rows() == 35);
  CHECK(model.table("encoder.layer.1.attention.self.query.weight").isZero(0));
  CHECK_FALSE(model.table("encoder.layer.1.attention.self.key.weight").isZero(0));
  REQUIRE(subject.corpus.sentences.size() == 2);
  const auto& pair = subject.corpus.sentences.front();
  CHECK(pair.ids == std::vector<int32_t>{2, 5, 34, 3, 6, 3});  // [CLS] word 0, word 29 [SEP] word 1 [SEP]
  CHECK(pair.segments == std::vector<int32_t>{0, 0, 0, 0, 1, 1});
}

TEST_CASE("the committed calibration is of the rules as they stand") {
  INFO("a rule has changed since it was calibrated; run: " << kRecalibrate);
  const Calibration& built_in = calibration();
  for (const auto& [experiment, rule] : data_rules()) {
    CAPTURE(rule->claim);
    const auto without = std::ranges::find(built_in.without, rule->claim, &UncalibratedClaim::claim);
    const CalibratedClaim* calibrated = built_in.find(rule->claim);
    CHECK((calibrated != nullptr) != (without != built_in.without.end()));
    if (calibrated == nullptr) continue;
    CHECK(calibrated->rule == rule_hash(*rule));
    CHECK(calibrated->experiment == experiment->name);
    for (const auto& one : plantings()) {
      const bool is_of_claim = std::ranges::find(one.truths, rule->claim, &PlantedTruth::claim) != one.truths.end();
      const bool is_there =
          std::ranges::find(calibrated->families, one.name, &CalibratedFamily::name) != calibrated->families.end();
      CAPTURE(one.name);
      CHECK(is_of_claim == is_there);
    }
  }
}
