#include "lab/report/report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/report/assets.hpp"
#include "lab/report/comparison_files.hpp"
#include "lab/report/glossary.hpp"
#include "lab/report_sample.hpp"
#include "lab/results/comparison.hpp"
#include "lab/results/outcome.hpp"
#include "lab/run/comparison_text.hpp"
#include "lab/run/verdict_text.hpp"
#include "text/temporary_directory.hpp"

using namespace summand;
using namespace summand::lab;
using summand::text::TemporaryDirectory;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

Json results_of(const RunFacts& facts, const std::vector<ExperimentResult>& reports) {
  const TemporaryDirectory folder;
  write_results(folder.path(), facts, reports, sample::ledger());
  return Json::parse(text_of(folder.path() / "results.json"));
}

Json row(const Json& results, std::string_view id) {
  for (const auto& claim : results.at("claims")) {
    if (claim.at("id") == id) return claim;
  }
  FAIL("no row for " << id);
  return {};
}

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

template <typename Action>
std::string io_error(const Action& action) {
  try {
    action();
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

/// The made-up experiment of "0.1" and "3.1", where the second tells what the first concludes.
Experiment telling_experiment() {
  Experiment experiment = *sample::reports()[1].experiment;
  experiment.rules.front().conclusion = {"Nothing is lost.", "没有损失。"};
  experiment.rules.front().decision.claim = "3.1";
  return experiment;
}

/// The made-up report of a checkpoint on which "3.1" was observed so. The inference of "0.1" was not tested: else what
/// follows would be true where "3.1" cannot tell.
ComparedRun run_telling(std::string folder, const Experiment& experiment, Observation observed) {
  auto reports = sample::reports();
  reports[1].experiment = &experiment;
  reports[1].verdicts["0.1"].inference = Inference::not_tested;
  reports[1].verdicts["3.1"] = {observed, Inference::not_tested, {}};
  return {.folder = std::move(folder),
          .run = {.facts = sample::facts(), .reports = std::move(reports), .not_shown = {}},
          .identical_to = {}};
}

// What $SUMMAND_PYTHON is, for a while.
class Python {
 public:
  explicit Python(const char* path) { ::setenv("SUMMAND_PYTHON", path, 1); }
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;
  ~Python() { ::unsetenv("SUMMAND_PYTHON"); }
};

}  // namespace

TEST_CASE("results.json has a row for every claim of the ledger, in its order") {
  for (const auto& reports : {sample::reports(), std::vector<ExperimentResult>{}}) {
    const auto results = results_of(sample::facts(), reports);
    CHECK(results.at("schema") == 1);
    CHECK(results.at("seed") == 20240229);
    CHECK(results.at("/checkpoint/hash"_json_pointer) == "0123456789abcdef");
    CHECK(results.at("/versions/eigen"_json_pointer) == "3.4.0");
    const auto claims = sample::ledger().claims;
    REQUIRE(results.at("claims").size() == claims.size());
    for (size_t i = 0; i < claims.size(); ++i) CHECK(results.at("claims")[i].at("id") == claims[i].id);
  }
}

TEST_CASE("results.json tells why a claim was not measured") {
  const auto results = results_of(sample::facts(), sample::reports());
  const auto reason = [&](const char* id) {
    CHECK(row(results, id).at("observation") == "not measured");
    CHECK(row(results, id).at("inference") == "not tested");
    return row(results, id).at("reason");
  };
  CHECK(reason("0.2") == "no checkpoint can tell; trained controls answer it");
  CHECK(reason("Q1") == "no checkpoint can tell; trained controls answer it");
  CHECK(reason("3.1") == "this table comes without tokens");
  CHECK(reason("4.1") == "not in this run");
  const auto none = results_of(sample::facts(), {});
  CHECK(row(none, "E1").at("reason") == "not in this run");
}

TEST_CASE("results.json has each number with its interval, null and control, and null for what is not there") {
  const auto claim = row(results_of(sample::facts(), sample::reports()), "E1");
  CHECK(claim.at("experiment") == "component-curves");
  CHECK(claim.at("observation") == "holds");
  CHECK(claim.at("inference") == "does not follow");
  const auto& period = claim.at("/numbers/period"_json_pointer);
  CHECK(period.at("value") == 203.71);
  CHECK(period.at("interval") == Json::array({187.2, 221.9}));
  CHECK(period.at("null") == 96.4);
  CHECK(period.at("null_interval") == Json::array({12.03, 311.8}));
  CHECK(period.at("null_of") == "phase-randomised, median of 20");
  CHECK(period.at("control") == 200);
  CHECK_FALSE(period.contains("control_interval"));
  CHECK(claim.at("/numbers/tiny/value"_json_pointer) == -0.00001234567);
  CHECK(claim.at("/numbers/tiny/null"_json_pointer).is_null());
  CHECK(claim.at("/numbers/missing/value"_json_pointer).is_null());
}

TEST_CASE("beside a verdict stands the number that decided it, in results.json and on the terminal") {
  const auto results = results_of(sample::facts(), sample::reports());
  CHECK(row(results, "E1").at("number") == "period");  // its first: the verdict names none
  CHECK(row(results, "E3").at("number") == "operations");
  CHECK(row(results, "Q1").at("number").is_null());
  const std::string table = summary_text(sample::reports(), Language::en, 80);
  // A half is rounded away from zero, as the page rounds it.
  CHECK(table.find(" 3459 (null 2.13): operations, over the sum's") != std::string::npos);
  CHECK(table.find("share of the first four") == std::string::npos);
  CHECK(table.find(" 204 (null 96.4, control 200): period of the first component, positions") != std::string::npos);
  CHECK(table.find(" position weights are still distributed as at initialisation\n") != std::string::npos);
}

TEST_CASE("the number that decides is that of the first condition that is not met, else of the first") {
  CHECK(deciding_number({{"distance", true}, {"kurtosis", false}, {"rows", false}}) == "kurtosis");
  CHECK(deciding_number({{"distance", true}, {"kurtosis", true}}) == "distance");
}

TEST_CASE(
    "a conclusion is told by the claim's own numbers, else by the claim that its rule names, and by no argument") {
  Experiment experiment = *sample::reports()[1].experiment;
  experiment.rules.front().conclusion = {"Nothing is lost.", "没有损失。"};
  const auto truth = [&](Verdict verdict, const std::string& told_by = "", Observation told = Observation::fails) {
    experiment.rules.front().decision.claim = told_by;
    auto reports = sample::reports();
    reports[1].experiment = &experiment;
    reports[1].verdicts["0.1"] = std::move(verdict);
    reports[1].verdicts["3.1"] = {told, Inference::not_tested, {}};
    const auto all = outcomes(reports, ledger());
    return std::ranges::find_if(all, [](const Outcome& one) { return one.claim->id == "0.1"; })->truth;
  };
  using enum Inference;
  CHECK(truth({Observation::holds, follows, {}}) == Truth::open);
  CHECK(truth({Observation::fails, does_not_follow, {}}) == Truth::open);
  CHECK(truth({Observation::holds, follows, {}}, "3.1") == Truth::false_here);
  CHECK(truth({Observation::holds, follows, {}}, "3.1", Observation::cannot_be_told) == Truth::open);
  Verdict witness{Observation::fails, does_not_follow, {}};
  witness.conclusion = Truth::true_here;
  CHECK(truth(witness) == Truth::true_here);
  CHECK(truth(witness, "3.1") == Truth::true_here);
}

TEST_CASE("what 3.3 finds no more behind most layers, a layer may have told apart: conclusions stay open") {
  std::vector<ExperimentResult> reports;
  for (const Experiment& experiment : experiments()) {
    ExperimentResult report;
    report.experiment = &experiment;
    for (const Rule& rule : experiment.rules) report.verdicts[rule.claim] = {Observation::holds, {}, {}};
    reports.push_back(std::move(report));
  }
  const auto truth = [&](const std::string& id) {
    const auto all = outcomes(reports, ledger());
    return std::ranges::find_if(all, [&](const Outcome& one) { return one.claim->id == id; })->truth;
  };
  for (const auto* claim : {"3.3", "3.5"}) CHECK(truth(claim) == Truth::true_here);
  for (auto& report : reports) {
    if (report.verdicts.contains("3.3")) report.verdicts["3.3"].observation = Observation::fails;
  }
  for (const auto* claim : {"3.3", "3.5"}) CHECK(truth(claim) == Truth::open);
}

TEST_CASE("of checkpoints side by side a conclusion alone may differ, and it differs as the other verdicts do") {
  const Experiment telling = telling_experiment();
  const std::vector runs{run_telling("1-whole", telling, Observation::holds),
                         run_telling("2-lossy", telling, Observation::fails),
                         run_telling("3-unclear", telling, Observation::cannot_be_told)};
  const auto claims = compared_claims(runs);
  const auto compared = [&](std::string_view id) {
    return *std::ranges::find_if(claims, [&](const ComparedClaim& one) { return one.claim->id == id; });
  };
  const auto concluding = compared("0.1");
  const std::array expected{Truth::true_here, Truth::false_here, Truth::open};
  REQUIRE(concluding.conclusions.size() == runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    CHECK(concluding.verdicts[i].observation == Observation::holds);
    CHECK(concluding.verdicts[i].inference == Inference::not_tested);
    REQUIRE(concluding.conclusions[i]);
    CHECK(concluding.conclusions[i]->truth == expected[i]);
    REQUIRE(concluding.conclusions[i]->told_by != nullptr);
    CHECK(concluding.conclusions[i]->told_by->id == "3.1");
    CHECK_FALSE(compared("E1").conclusions[i]);
  }
  CHECK(concluding.verdicts_differ());
  CHECK_FALSE(compared("E1").verdicts_differ());

  const auto english = comparison_text(runs, Language::en);
  CHECK(english.find("* 0.1   holds / not tested / true") != std::string::npos);
  CHECK(english.find("holds / not tested / false") != std::string::npos);
  CHECK(english.find("holds / not tested / open") != std::string::npos);
  CHECK(english.find("  E1    holds / does not follow / -") != std::string::npos);
  CHECK(comparison_text(runs, Language::zh).find("成立 / 未检验 / 假") != std::string::npos);
}

TEST_CASE(
    "a claim that was measured on one checkpoint alone is no difference, and is not counted among those that can be") {
  const Experiment telling = telling_experiment();
  std::vector runs{run_telling("1-lossy", telling, Observation::fails),
                   run_telling("2-table", telling, Observation::fails),
                   run_telling("3-whole", telling, Observation::holds)};
  for (const char* claim : {"0.1", "E1", "E2"}) {
    for (auto& report : runs[0].run.reports) {
      if (!report.verdicts.contains(claim)) continue;
      report.verdicts[claim] = {Observation::not_measured, Inference::not_tested, {}};
      report.findings.numbers.erase(claim);
    }
  }
  runs[1].run.reports[0].verdicts["E2"] = {Observation::not_measured, Inference::not_tested, {}};
  const auto claims = compared_claims(runs);
  const auto compared = [&](std::string_view id) {
    return *std::ranges::find_if(claims, [&](const ComparedClaim& one) { return one.claim->id == id; });
  };
  CHECK(compared("E1").measured() == 2);
  CHECK_FALSE(compared("E1").verdicts_differ());
  CHECK(compared("E2").measured() == 1);
  CHECK_FALSE(compared("E2").verdicts_differ());
  CHECK(compared("0.1").verdicts_differ());        // the two on which it was measured conclude otherwise
  CHECK(comparable(claims) == claims.size() - 2);  // 3.1 has a gap on all, E2 is measured once
  const ComparedNumber period = compared("E1").numbers.front();
  CHECK(period.likeness[0] == Likeness::missing);
  CHECK(period.likeness[1] == Likeness::identical);
  CHECK(period.likeness[2] == Likeness::identical);
  CHECK_FALSE(period.differs());
  // Both 0.1 and 3.1, which tells it.
  const auto said = std::string("2 of ") + std::to_string(comparable(claims)) + " claims that were measured on two";
  CHECK(comparison_text(runs, Language::en).find(said) != std::string::npos);
}

TEST_CASE("each checkpoint of a comparison has its own corpus, and its answers to both questions") {
  const Experiment telling = telling_experiment();
  std::vector runs{run_telling("1-long", telling, Observation::holds),
                   run_telling("2-short", telling, Observation::holds)};
  runs[1].run.facts.corpus = {"english, 22 of them cut", "english，其中 22 条被截断"};
  const TemporaryDirectory folder;
  write_comparison(folder.path(), runs, "summand lab compare long short");
  const auto comparison = Json::parse(text_of(folder.path() / "compare.json"));
  CHECK(comparison.at("/checkpoints/0/corpus"_json_pointer) == "english (built in), 60 texts");
  CHECK(comparison.at("/checkpoints/1/corpus"_json_pointer) == "english, 22 of them cut");
  CHECK(comparison.at("/checkpoints/1/in_short/table"_json_pointer).is_null());  // none of its experiments was run
  CHECK(comparison_text(runs, Language::en).find("2-short:\n  Does adding hurt?") != std::string::npos);
}

TEST_CASE("what is true up to a layer says so, of every claim that it is told of") {
  std::vector<ExperimentResult> reports;
  for (const Experiment& experiment : experiments()) {
    ExperimentResult report;
    report.experiment = &experiment;
    for (const Rule& rule : experiment.rules) report.verdicts[rule.claim] = {Observation::holds, {}, {}};
    reports.push_back(std::move(report));
  }
  const auto extent = [&](double up_to, double read, const std::string& id) {
    for (auto& report : reports) {
      if (!report.verdicts.contains("3.3")) continue;
      report.findings.numbers["3.3"] = {};
      for (const auto& [name, value] : {std::pair{"up_to_layer", up_to}, std::pair{"layers_reading_both", read}}) {
        report.findings.numbers["3.3"].add(
            {.name = name, .label = {}, .value = value, .control = ReferenceValue{6, {}, {}}});
      }
    }
    const auto all = outcomes(reports, ledger());
    return std::ranges::find_if(all, [&](const Outcome& one) { return one.claim->id == id; })->extent.en;
  };
  for (const auto* claim : {"3.3", "3.4", "3.5"}) CHECK(extent(4, 4, claim) == "up to layer 4 of 6");
  CHECK(extent(1, 4, "3.3") == "after 4 of 6 layers");
  CHECK(extent(6, 6, "3.3").empty());
  CHECK(extent(4, 4, "3.1").empty());
}

TEST_CASE("a claim that no checkpoint can tell says what comes along that bears on it") {
  const auto all = outcomes({}, ledger());
  const auto reason = [&](const std::string& id) {
    return std::ranges::find_if(all, [&](const Outcome& one) { return one.claim->id == id; })->verdict.reason.en;
  };
  CHECK(reason("4.7").starts_with(
      "no checkpoint can tell; trained controls answer it. So far: `models/tenth-learned/README.md`"));
  CHECK(reason("4.7").ends_with("this does not show."));
  CHECK(reason("Q2") == "no checkpoint can tell; trained controls answer it");
}

TEST_CASE("a comparison's files have every conclusion, and the ends of every interval") {
  const Experiment telling = telling_experiment();
  const std::vector runs{run_telling("1-whole", telling, Observation::holds),
                         run_telling("2-lossy", telling, Observation::fails)};
  const TemporaryDirectory folder;
  write_comparison(folder.path(), runs, "summand lab compare whole lossy");

  const auto comparison = Json::parse(text_of(folder.path() / "compare.json"));
  const auto concluding = row(comparison, "0.1");
  CHECK(concluding.at("/verdicts/0/conclusion_by"_json_pointer) == "3.1");
  CHECK(concluding.at("/verdicts/0/conclusion"_json_pointer) == "true");
  CHECK(concluding.at("/verdicts/1/conclusion"_json_pointer) == "false");
  CHECK(row(comparison, "E1").at("/verdicts/0/conclusion_by"_json_pointer).is_null());
  CHECK(row(comparison, "E1").at("/verdicts/0/conclusion"_json_pointer) == "-");

  const auto csv = text_of(folder.path() / "compare.csv");
  CHECK(
      csv.starts_with("claim,experiment,number,label,checkpoint,observation,inference,conclusion,likeness,value,low,"
                      "high,null,null_low,null_high,control,control_low,control_high,relative_difference\n"));
  CHECK(csv.find("1-whole,holds,does not follow,-,identical,203.71,187.2,221.9,96.4,12.03,311.8,200,,,0\n") !=
        std::string::npos);
  CHECK(csv.find("1-whole,holds,not tested,true,identical,0,,,,,,,,,0\n") != std::string::npos);
  CHECK(csv.find("2-lossy,holds,not tested,false,identical,0,,,,,,,,,0\n") != std::string::npos);
}

TEST_CASE("the same run writes the same bytes, however long it took") {
  auto slow = sample::reports();
  for (auto& report : slow) report.seconds *= 100;
  CHECK(results_of(sample::facts(), slow) == results_of(sample::facts(), sample::reports()));
}

TEST_CASE("names that are not UTF-8 do not stop the report") {
  auto facts = sample::facts();
  facts.path = "models/\xFF\xFE";
  CHECK(results_of(facts, {}).at("/checkpoint/path"_json_pointer) == "models/\uFFFD\uFFFD");
  const TemporaryDirectory folder;
  write_page(folder.path(), facts, {}, sample::ledger());
  CHECK(fs::file_size(folder.path() / "index.html") > 0);
}

TEST_CASE("the page is one small file that no text of the report can break out of") {
  const TemporaryDirectory folder;
  write_page(folder.path(), sample::facts(), sample::reports(), sample::ledger());
  const auto page = text_of(folder.path() / "index.html");
  CHECK(page.size() < 8'000'000);
  CHECK(count(page, "</script") == count(assets::page_html, "</script"));
  CHECK(count(page, "{{report}}") == 0);
  const std::string begin = R"(<script id="report" type="application/json">)";
  const auto from = page.find(begin) + begin.size();
  const auto data = Json::parse(page.substr(from, page.find("</script", from) - from));
  CHECK(data.at("claims").size() == sample::ledger().claims.size());
  CHECK(data.at("/claims/4/quote/text"_json_pointer) ==
        "The heat map shows a block structure </script><script>window.broken = 1</script>");
  CHECK(data.at("questions").size() == 3);
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("eight large matrices of noise still make a page below 8 MB") {
  RandomStream noise(1, "report_test");
  auto reports = sample::reports();
  for (int i = 0; i < 8; ++i) {
    MatrixData matrix{
        .rows = 512, .columns = 512, .values = {}, .row_label = {}, .column_label = {}, .value_label = {}};
    for (size_t cell = 0; cell < 512 * 512; ++cell) matrix.values.push_back(static_cast<float>(noise.uniform()));
    reports[1].findings.figures.push_back(
        {.name = "noise-" + std::to_string(i), .title = {}, .caption = {}, .specification = {}, .data = matrix});
  }
  const TemporaryDirectory folder;
  write_page(folder.path(), sample::facts(), reports, sample::ledger());
  CHECK(fs::file_size(folder.path() / "index.html") < 8'000'000);
}

TEST_CASE("a folder that cannot be made is an error that names it") {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "file") << "x";
  const auto inside = folder.path() / "file" / "report";
  CHECK(io_error([&] { write_page(inside, {}, {}, {}); }).find("file/report") != std::string::npos);
  CHECK(io_error([&] { write_results(inside, {}, {}, {}); }).find("file/report") != std::string::npos);
}

TEST_CASE("each figure has its data as CSV, and its specification in two languages") {
  const TemporaryDirectory folder;
  const auto reports = sample::reports();
  write_figures(folder.path(), reports, {}, Language::en);
  size_t figures = 0;
  for (const auto& report : reports) {
    for (const auto& figure : report.findings.figures) {
      ++figures;
      CHECK(fs::file_size(folder.path() / "figures" / (figure.name + ".csv")) > 0);
      for (const auto& [language, title] : {std::pair{"en", figure.title.en}, std::pair{"zh", figure.title.zh}}) {
        const auto path = folder.path() / "figures" / (figure.name + "." + language + ".vl.json");
        CHECK(Json::parse(text_of(path)).at("description") == title);
      }
    }
  }
  CHECK(figures == 9);
  CHECK(std::distance(fs::directory_iterator(folder.path() / "figures"), fs::directory_iterator()) == 27);
}

TEST_CASE("a Python that cannot draw is one clear line") {
  const TemporaryDirectory folder;
  const auto reports = sample::reports();
  const FigureFormat formats[] = {FigureFormat::svg};
  const auto draw = [&] { write_figures(folder.path(), reports, formats, Language::en); };
  {
    const Python nowhere("/nowhere/python");
    CHECK(io_error(draw) ==
          "[/nowhere/python] figures are drawn by a Python with vl-convert-python; set SUMMAND_PYTHON to one: No such "
          "file or directory");
  }
  {
    const Python without("/usr/bin/false");
    CHECK(io_error(draw).starts_with("[/usr/bin/false] figures are drawn by a Python"));
  }
  CHECK_FALSE(fs::exists(folder.path() / "figures" / "shares.svg"));
  // Without formats no Python is asked.
  const Python nowhere("/nowhere/python");
  write_figures(folder.path(), reports, {}, Language::en);
}

TEST_CASE("every term of the glossary has a name of its own and a meaning in both languages") {
  std::set<std::string> ids, english, chinese;
  for (const auto& term : glossary()) {
    CAPTURE(term.id);
    CHECK(ids.insert(term.id).second);
    CHECK(english.insert(term.name.en).second);
    CHECK(chinese.insert(term.name.zh).second);
    CHECK(term.meaning.en.size() > 20);
    CHECK(term.meaning.zh.size() > 20);
  }
  CHECK(ids.size() >= 30);
}
