// What a run prints: claims, conclusions in words, and lines that fit.
#include "lab/run/terminal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/report_sample.hpp"
#include "lab/results/outcome.hpp"
#include "lab/results/short_answers.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/run/text_lines.hpp"
#include "lab/run/title.hpp"
#include "lab/run/verdict_text.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

constexpr size_t kWide = 1000;  // no line is parted

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Reports of the experiments that judge these claims, every one of whose claims has this verdict unless it is named.
std::vector<ExperimentResult> reports_of(const std::map<std::string, Verdict>& verdicts) {
  std::vector<ExperimentResult> reports;
  for (const auto& experiment : experiments()) {
    ExperimentResult report{.experiment = &experiment, .findings = {}, .verdicts = {}, .seconds = 0};
    for (const auto& rule : experiment.rules) {
      if (const auto verdict = verdicts.find(rule.claim); verdict != verdicts.end()) report.verdicts.insert(*verdict);
    }
    if (!report.verdicts.empty()) reports.push_back(std::move(report));
  }
  return reports;
}

Verdict verdict(Observation observation, Inference inference = Inference::not_tested) {
  return {observation, inference, {"a reason", "理由"}};
}

/// The line below the claim's own.
std::string verdict_of(const std::string& id, const std::map<std::string, Verdict>& verdicts,
                       Language language = Language::en) {
  const auto lines = lines_of(summary_text(reports_of(verdicts), language, kWide));
  const auto claim = std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(id + " "); });
  REQUIRE(claim != lines.end());
  REQUIRE(claim + 1 != lines.end());
  return (claim + 1)->substr((claim + 1)->find_first_not_of(' '));
}

}  // namespace

TEST_CASE("a claim comes first, then whether it holds and what is true of the conclusion, and who tells that") {
  using enum Observation;
  using enum Inference;
  const auto lines =
      lines_of(summary_text(reports_of({{"4.8", verdict(holds)}, {"4.2", verdict(fails)}}), Language::en, kWide));
  CHECK(std::ranges::count(lines, "4.8   token rows are longer than position rows") == 1);
  CHECK(verdict_of("4.8", {{"4.8", verdict(holds)}, {"4.2", verdict(fails)}}) ==
        "holds. Therefore 'p is small enough, to some degree, for expanding in it to be reasonable': false (4.2)");
  CHECK(verdict_of("3.5", {{"3.5", verdict(fails, does_not_follow)}, {"3.3", verdict(holds)}}) ==
        "fails. Therefore 'Position is easy to separate from token': true (3.3), but it does not follow from this");
  CHECK(verdict_of("3.5", {{"3.5", verdict(fails, does_not_follow)}, {"3.3", verdict(holds)}}, Language::zh) ==
        "不成立。因此“位置信息容易与词元信息分开”：真（3.3），但由此推不出");
  CHECK(verdict_of("4.1", {{"4.1", verdict(holds, follows)}}) ==
        "holds on every checkpoint (algebra). Therefore 'Without positions a Transformer cannot tell places apart': "
        "true, and it follows");
  CHECK(verdict_of("Q9", {{"Q9", verdict(not_judged)}}) == "not judged");
  CHECK(verdict_of("X1", {{"X1", verdict(holds, follows)}}) == "holds");  // it concludes nothing
  CHECK(verdict_of("3.5", {{"3.5", verdict(not_measured)}}) == "not measured");
}

TEST_CASE("a conclusion that waits for another claim says for which, and why it has no verdict") {
  using enum Observation;
  const std::string conclusion = "fails. Therefore 'Position is easy to separate from token': open ";
  CHECK(verdict_of("3.5", {{"3.5", verdict(fails)}}) == conclusion + "(needs 3.3: not run)");
  CHECK(verdict_of("3.5", {{"3.5", verdict(fails)}, {"3.3", verdict(not_measured)}}) ==
        conclusion + "(needs 3.3: not measured)");
  CHECK(verdict_of("3.5", {{"3.5", verdict(fails)}, {"3.3", verdict(cannot_be_told)}}) ==
        conclusion + "(3.3 cannot be told)");
  const auto needs = [](const std::map<std::string, Verdict>& verdicts) {
    const auto reports = reports_of(verdicts);
    const auto all = outcomes(reports, ledger());
    return std::ranges::find_if(all, [](const Outcome& one) { return one.claim->id == "3.5"; })->needs.en;
  };
  CHECK(needs({{"3.5", verdict(fails)}}) == "needs 3.3: not run");
  CHECK(needs({{"3.5", verdict(fails)}, {"3.3", verdict(holds)}}).empty());
}

TEST_CASE("every claim can be told in every way, in both languages, and no line is too long") {
  for (const auto observation : {Observation::holds, Observation::fails, Observation::cannot_be_told,
                                 Observation::not_judged, Observation::not_measured}) {
    for (const auto inference : {Inference::follows, Inference::does_not_follow, Inference::not_tested}) {
      std::map<std::string, Verdict> verdicts;
      for (const auto& claim : ledger()) verdicts[claim.id] = verdict(observation, inference);
      for (const auto language : {Language::en, Language::zh}) {
        for (const size_t width : {60U, 80U, 120U}) {
          const std::string text = summary_text(reports_of(verdicts), language, width);
          for (const auto& line : lines_of(text)) {
            CAPTURE(line);
            CHECK(columns_of(line) <= width);
          }
          CHECK(text.find('{') == text.npos);
        }
      }
    }
  }
}

TEST_CASE("behind the verdicts stands how many there are of each, and what was not run") {
  const auto count = [](Language language) {
    const auto lines = lines_of(summary_text(reports_of({{"3.1", verdict(Observation::fails)},
                                                         {"3.3", verdict(Observation::holds)},
                                                         {"3.5", verdict(Observation::holds)}}),
                                             language, kWide));
    return lines.back();
  };
  CHECK(count(Language::en) ==
        "57 claims: holds 2, fails 1, not run 46, answered by summand's studies, not by this checkpoint 8");
  CHECK(count(Language::zh) == "57 条说法：成立 2，不成立 1，未运行 46，由 summand 的研究回答，而非由此检查点 8");
}

TEST_CASE("behind a run of all that a checkpoint can tell stands what the studies say of the rest") {
  std::map<std::string, Verdict> verdicts;
  for (const auto& claim : ledger()) verdicts[claim.id] = verdict(Observation::holds);
  const auto text = [&](Language language) { return summary_text(reports_of(verdicts), language, kWide); };
  for (const auto& claim : ledger()) {
    if (claim.evidence == Evidence::checkpoint || claim.study == nullptr) continue;
    CAPTURE(claim.id);
    const auto line = [&](Language language, const char* colon) {
      return in(language, claim.brief) + colon + in(language, words_of(claim.study->verdict)) + "\n";
    };
    CHECK(text(Language::en).find(line(Language::en, ": ")) != std::string::npos);
    CHECK(text(Language::zh).find(line(Language::zh, "：")) != std::string::npos);
  }
  CHECK(text(Language::en).find("summand's studies of models trained from scratch") != std::string::npos);
  verdicts.erase("3.1");  // an experiment that was left out
  CHECK(text(Language::en).find("summand's studies of models trained from scratch") == std::string::npos);
}

TEST_CASE("in short stand the two questions, answered by what was found") {
  auto reports = reports_of({{"3.1", verdict(Observation::fails)}});
  CHECK(short_answers({}).empty());
  REQUIRE(reports.size() == 1);
  Number rate{.name = "sum_exact", .label = {"read back", "读回"}, .value = 1, .interval = Interval{0.991, 1}};
  reports[0].findings.numbers["3.1"].add(rate);
  auto answers = short_answers(reports);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].question.en == "Does adding lose anything at the input?");
  CHECK(answers[0].sentence.en ==
        "No: token, position and segment can all be read back in 100 % of the sampled sums (95 % interval: 99.1 to 100 "
        "%).");
  CHECK(answers[0].sentence.zh.starts_with("不会：在抽取的和中，有 100%（95% 区间：99.1% 至 100%）能读回"));
  reports[0].verdicts["3.1"].observation = Observation::holds;
  CHECK(short_answers(reports)[0].sentence.en.starts_with("Yes: token, position"));

  Experiment clocks = *chosen({"X1"}).front();
  clocks.answer = [](const Findings&, const std::map<std::string, Verdict>&) {
    return LocalizedText{"Yes: 4 circles have 76.5 % of the variance. Each is faster than the one before.",
                         "是：4 个圆占方差的 76.5%。步速依次加快。"};
  };
  reports = {{.experiment = &clocks, .findings = {}, .verdicts = {{"X1", verdict(Observation::holds)}}, .seconds = 0}};
  answers = short_answers(reports);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].question.en == "What has the position table learned?");
  CHECK(answers[0].sentence.en == "4 circles have 76.5 % of the variance.");
  CHECK(answers[0].sentence.zh == "4 个圆占方差的 76.5%。");
  CHECK(answers[0].more.en == "Each is faster than the one before.");
  reports[0].findings.gaps["X1"] = {"needs a table of positions", "需要位置表"};
  CHECK(short_answers(reports)[0].sentence.en == "Not measured: needs a table of positions.");
}

TEST_CASE("lines are parted at blanks and between Chinese characters, and go on below the first") {
  CHECK(wrapped("4.8   ", "one two three", 14) == "4.8   one two\n      three\n");
  CHECK(wrapped("", "a-word-that-is-longer-than-a-line b", 10) == "a-word-that-is-longer-than-a-line\nb\n");
  CHECK(wrapped("a: ", "", 10) == "a:\n");
  CHECK(columns_of("真 a（") == 6);
  CHECK(wrapped("  ", "位置表是圆。", 10) == "  位置表是\n  圆。\n");
  CHECK(wrapped("", "位置，表", 5) == "位\n置，\n表\n");  // no line begins with a comma
  CHECK(wrapped("", "位“置”", 5) == "位\n“置”\n");
  CHECK(wrapped("", "n − m 是真", 7) == "n − m\n是真\n");
}

TEST_CASE("experiments are chosen by name and by the ids of their claims") {
  const auto names = [](const std::vector<std::string>& only) {
    std::vector<std::string> list;
    for (const auto* experiment : chosen(only)) list.push_back(experiment->name);
    return list;
  };
  CHECK(names({"3.1"}) == std::vector<std::string>{"decoding"});
  CHECK(names({"decoding", "3.1"}) == std::vector<std::string>{"decoding"});
  CHECK(names({"X1", "decoding"}).size() == 2);
  for (const auto& experiment : experiments()) {
    for (const auto& rule : experiment.rules) CHECK(names({rule.claim}) == std::vector{experiment.name});
  }
  CHECK_THROWS_WITH_AS(
      (void)chosen({"E11"}),
      doctest::Contains("got 'E11', a claim that no experiment judges: it needs models trained for it"), UsageError);
  CHECK_THROWS_WITH_AS((void)chosen({"9.9"}), doctest::Contains("got '9.9'"), UsageError);
  CHECK_THROWS_WITH_AS((void)chosen({"9.9"}), doctest::Contains("; claims are 0.1 0.2 0.4 "), UsageError);
  CHECK_THROWS_WITH_AS((void)chosen({"decodin"}), doctest::Contains("did you mean 'decoding'?"), UsageError);
}

TEST_CASE("the list has every experiment and below it what its claims say, in both languages") {
  for (const auto language : {Language::en, Language::zh}) {
    const std::string text = list_text(language, kWide);
    for (const auto& experiment : experiments()) {
      CHECK(("\n" + text).find("\n" + experiment.name + "\n") != text.npos);
      for (const auto& rule : experiment.rules) {
        CHECK(text.find(" " + rule.claim + " ") != text.npos);
        CHECK(text.find(in(language, claim(rule.claim).brief)) != text.npos);
      }
    }
    for (const auto& line : lines_of(list_text(language, 80))) CHECK(columns_of(line) <= 80);
  }
}

TEST_CASE("a title is one line") {
  CHECK_NOTHROW(check_title("all-MiniLM-L6-v2"));
  CHECK_NOTHROW(check_title("小模型 1"));
  for (const char* title : {"", "  ", "two\nlines", "\xff"}) CHECK_THROWS_AS(check_title(title), UsageError);
}

TEST_CASE("everything that a run prints in Chinese is Chinese") {
  const FinishedRun run{.facts = sample::facts(), .reports = sample::reports(), .not_shown = {}};
  LaboratoryOptions options;
  options.folder = "folder";
  options.quick = true;
  const std::string text = run_text(run, options, Language::zh, 80);
  CHECK(text.starts_with("all-MiniLM-L6-v2：层数 6，隐藏宽度 384，位置数 512，词表大小 30522\n"));
  CHECK(text.find("\n语料：english（内置），60 条文本\n") != text.npos);
  CHECK(text.ends_with("\n报告：folder/index.html\n"));
  const std::string english = run_text(run, options, Language::en, 80);
  CHECK(text.find(" 204（阴性对照 96.4，阳性对照 200）：") != text.npos);
  CHECK(english.starts_with("all-MiniLM-L6-v2: layers 6, hidden 384, positions 512, vocabulary 30522\n"));
  CHECK(english.find("\ncorpus: english (built in), 60 texts\n") != english.npos);
  CHECK(english.ends_with("\nreport: folder/index.html\n"));
  for (const char* word : {"corpus", "report", "null ", "control ", "claims", "run", "side by side"}) {
    CAPTURE(word);
    CHECK(text.find(word) == text.npos);
  }
  CHECK(side_by_side_text("a/index.html", Language::zh) == "并列：a/index.html\n");
  CHECK(kept_words(2, 5, "folder").zh == "已中断；5 个实验中的 2 个已完成，保存在 folder；同一命令会从那里继续");
}
