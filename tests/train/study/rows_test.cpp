// A study's rows as text and back, and what a curve says of the tokens that were needed.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "train/study/study_rows.hpp"

namespace summand::train {

namespace {

/// Rows that have and lack everything that a row may lack, with numbers that need all their digits.
std::vector<StudyRow> rows() {
  StudyRow whole{.task = "combined", .arm = "sum", .seed = 18446744073709551615U, .learning_rate = 0.1 + 0.2};
  whole.data = "00ff00ff00ff00ff";
  whole.gap = 1.0 / 3;
  whole.excess = 1e-17;
  whole.hidden_boundary = 5e-324;
  whole.tokens = 123'456'789'012;
  whole.strata = {{"none", {.excess = 2.0 / 3, .gap = 1e300, .asked = 7}},
                  {"held out", {.excess = 0, .gap = 1, .asked = 0}}};
  whole.curve = {{.step = 100, .excess = 0.1, .distance_share = 1.0 / 7},
                 {.step = 150, .excess = 0.07, .distance_share = 0.5, .circle_share = 0.25},
                 {.step = 200, .excess = 0.05}};
  StudyRow bare{.task = "topic", .arm = "none_2", .seed = 0, .learning_rate = 3e-3};
  bare.data = "0";
  bare.gap = 2;
  bare.excess = 2;
  bare.diverged = true;
  return {whole, bare};
}

std::string header() {
  return to_csv({});
}

/// What rows.csv with this text is refused for; empty if it is not.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(rows_from_csv(text, "study/rows.csv"));
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

void check_refused(const std::string& line, const std::string& said) {
  // The third line of the file is wrong: a good one comes before it.
  const std::string good = "topic,sum,1,0.003,ab,2,0.5,,no,10,,\n";
  REQUIRE(refusal(header() + good) == "");
  const std::string found = refusal(header() + good + line + "\n");
  CAPTURE(found);
  CAPTURE(line);
  CHECK(found.find("[study/rows.csv:3] ") == 0);
  CHECK(found.find(said) != std::string::npos);
}

StudyRow with_curve(std::vector<CurvePoint> curve) {
  StudyRow row{.task = "topic", .arm = "sum"};
  row.gap = 2;
  row.tokens = 6000;
  row.curve = std::move(curve);
  return row;
}

}  // namespace

TEST_CASE("rows come back from text as they were, every bit of them") {
  const std::string text = to_csv(rows());
  CHECK(rows_from_csv(text, "rows.csv") == rows());
  CHECK(to_csv(rows_from_csv(text, "rows.csv")) == text);
  std::string windows;
  for (const char one : text) windows += one == '\n' ? "\r\n" : std::string(1, one);
  CHECK(rows_from_csv(windows, "rows.csv") == rows());
  CHECK(rows_from_csv(header(), "rows.csv").empty());
}

TEST_CASE("a wrong line is refused with file and number") {
  CHECK(refusal("").find("[study/rows.csv:1] expected the header 'task,arm,seed,") == 0);
  CHECK(refusal("task,arm\n").find("[study/rows.csv:1] expected the header") == 0);
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,10,", "as many cells as the header has names");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,10,,,", "as many cells as the header has names");
  check_refused("topic", "as many cells as the header has names");
  check_refused("topic,sum,one,0.003,ab,2,0.5,,no,10,,", "a number, got 'one'");
  check_refused("topic,sum,-1,0.003,ab,2,0.5,,no,10,,", "a number, got '-1'");
  check_refused("topic,sum,1.5,0.003,ab,2,0.5,,no,10,,", "a number, got '1.5'");
  check_refused("topic,sum,1,fast,ab,2,0.5,,no,10,,", "a number, got 'fast'");
  check_refused("topic,sum,1,0.003,ab,2,,,no,10,,", "a number, got ''");
  check_refused("topic,sum,1,0.003,ab,2,0.5 ,,no,10,,", "a number, got '0.5 '");
  check_refused("topic,sum,1,0.003,ab,2,0.5,x,no,10,,", "a number, got 'x'");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,ten,,", "a number, got 'ten'");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,maybe,10,,", "yes or no, got 'maybe'");
  check_refused("topic,sum,1,0.003,ab,0,0.5,,no,10,,", "a gap above 0");
  check_refused("topic,sum,1,0.003,ab,nan,0.5,,no,10,,", "a gap above 0");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,10,mark:1:2,", "4 parts between ':', got 'mark:1:2'");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,10,mark:1:2:x,", "a number, got 'x'");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,10,,100", "2 parts between ':', got '100'");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,10,,100:0.5:0.1:0.2:0.3", "got '100:0.5:0.1:0.2:0.3'");
  check_refused("topic,sum,1,0.003,ab,2,0.5,,no,10,,100:half", "a number, got 'half'");
}

TEST_CASE("the share that is left is of the gap") {
  StudyRow row = with_curve({});
  row.excess = 0.5;
  CHECK(row.left() == 0.25);
}

TEST_CASE("tokens to a share of the gap are read between validations, on a straight line") {
  // From a gap of 2 at step 0 to .5 at the last of 30 steps, which took 6,000 tokens: 200 each.
  const StudyRow row =
      with_curve({{.step = 10, .excess = 1.5}, {.step = 20, .excess = 0.9}, {.step = 30, .excess = 0.5}});
  CHECK(row.tokens_to(0.125).value() == doctest::Approx(1000));  // excess 1.75, at step 5
  CHECK(row.tokens_to(0.25).value() == doctest::Approx(2000));   // excess 1.5, at step 10
  CHECK(row.tokens_to(0.5).value() == doctest::Approx(200 * (10 + 10 * 0.5 / 0.6)));
  CHECK(row.tokens_to(0.7).value() == doctest::Approx(200 * (20 + 10 * 0.3 / 0.4)));
  CHECK(row.tokens_to(0.75).value() == doctest::Approx(6000));
  CHECK(!row.tokens_to(0.76).has_value());
  CHECK(!row.tokens_to(1).has_value());
}

TEST_CASE("the first time counts, and what diverged or was never validated got nowhere") {
  const StudyRow back =
      with_curve({{.step = 10, .excess = 1}, {.step = 20, .excess = 1.6}, {.step = 30, .excess = 1.2}});
  CHECK(back.tokens_to(0.5).value() == doctest::Approx(2000));
  CHECK(back.tokens_to(0.4).value() == doctest::Approx(1600));
  StudyRow diverged = back;
  diverged.diverged = true;
  CHECK(!diverged.tokens_to(0.5).has_value());
  CHECK(!with_curve({}).tokens_to(0.1).has_value());
  const StudyRow worse =
      with_curve({{.step = 10, .excess = 2.5}, {.step = 20, .excess = 1.5}, {.step = 30, .excess = 1.5}});
  CHECK(worse.tokens_to(0.25).value() == doctest::Approx(4000));
}

TEST_CASE("a row's JSON has what the row has") {
  const auto json = to_json(rows()[0]);
  CHECK(json.at("seed") == 18446744073709551615U);
  CHECK(json.at("learning_rate") == 0.1 + 0.2);
  CHECK(json.at("strata").at("none").at("asked") == 7);
  CHECK(json.at("curve").at(0).at("distance_share") == 1.0 / 7);
  CHECK(json.at("curve").at(1).at("circle_share") == 0.25);
  CHECK(!json.at("curve").at(0).contains("circle_share"));
  CHECK(!json.at("curve").at(2).contains("distance_share"));
  CHECK(!to_json(rows()[1]).contains("hidden_boundary"));
  CHECK(to_json(rows()[1]).at("diverged") == true);
}

}  // namespace summand::train
