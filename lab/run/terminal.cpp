#include "lab/run/terminal.hpp"
#include "lab/experiments/experiments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/paths.hpp"
#include "lab/core/localize.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/results/rule_state.hpp"
#include "lab/results/short_answers.hpp"
#include "lab/run/text_lines.hpp"
#include "lab/run/verdict_text.hpp"

namespace summand::lab {

namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{200};
constexpr double kLeastShareForForecast = 0.02;
constexpr const char* kIndent = "  ";

LocalizedText duration_words(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return localize("run.progress.seconds", {{"seconds", whole}});
  return localize("run.progress.minutes", {{"minutes", whole / 60}, {"seconds", whole % 60}});
}

/// The title of each experiment from a file, and what was found.
std::string own_text(const FinishedRun& run, const LaboratoryOptions& options, Language language, size_t width) {
  std::string text;
  for (const auto& own : options.own) {
    const auto report = std::ranges::find(run.reports, &own.experiment, &ExperimentResult::experiment);
    text += wrapped("", own.setup.title, width) +
            wrapped(kIndent, in(language, own::sentence_of(report->findings)), width) + "\n";
  }
  return text;
}

/// "all-MiniLM-L6-v2: layers 6, hidden 384, …"
std::string head_text(const RunFacts& facts, Language language, size_t width) {
  std::vector<std::string> sizes;
  for (const auto& size : facts.sizes) sizes.push_back(fmt::format("{} {}", in(language, size.words), size.value));
  const std::string separator = in(language, localize("run.comma"));
  const LocalizedText head =
      localize("run.head", {{"name", facts.checkpoint}, {"sizes", fmt::format("{}", fmt::join(sizes, separator))}});
  return wrapped("", in(language, head), width) + "\n" + wrapped("", in(language, localize("run.legend")), width) +
         "\n";
}

/// Each question, and its answer below it.
std::string in_short_text(const FinishedRun& run, Language language, size_t width) {
  std::string text;
  for (const auto& [question, sentence, more] : short_answers(run.reports)) {
    const std::string blank = language == Language::en && !more.en.empty() ? " " : "";
    text += wrapped("", in(language, question), width) +
            wrapped(kIndent, in(language, sentence) + blank + in(language, more), width);
  }
  if (text.empty()) return text;
  return wrapped("", in(language, localize("run.in_short", {{"name", run.facts.checkpoint}})), width) + text +
         wrapped("", in(language, localize("run.scope")), width) + "\n";
}

}  // namespace

std::string run_text(const FinishedRun& run, const LaboratoryOptions& options, Language language, size_t width) {
  std::string text = head_text(run.facts, language, width) + own_text(run, options, language, width) +
                     summary_text(run.reports, language, width) + "\n" + in_short_text(run, language, width);
  if (options.quick) text += wrapped("", in(language, localize("run.quick")), width);
  text += corpus_text(run.facts.corpus, language, width);
  return text + in(language, localize("run.labels.report")) + (options.folder / "index.html").string() + "\n";
}

std::string corpus_text(const LocalizedText& corpus, Language language, size_t width) {
  if (corpus.en.empty()) return "";
  return wrapped(in(language, localize("run.labels.corpus")), in(language, corpus), width);
}

std::string side_by_side_text(const std::filesystem::path& page, Language language) {
  return in(language, localize("run.labels.side_by_side")) + page.string() + "\n";
}

std::string list_text(Language language, size_t width) {
  constexpr size_t kId = 6;  // columns: the longest, "4.10", and a gap
  std::string text;
  for (const auto& experiment : experiments()) {
    text += experiment.name + "\n" + wrapped(kIndent, in(language, experiment.question), width);
    for (const auto& rule : experiment.rules) {
      text += wrapped(kIndent + padded(rule.claim, kId), in(language, claim(rule.claim).brief), width);
    }
  }
  return text;
}

std::string list_json() {
  auto list = nlohmann::ordered_json::array();
  for (const auto& experiment : experiments()) {
    nlohmann::ordered_json one{{"name", experiment.name}, {"question", experiment.question.en}};
    one["claims"] = nlohmann::ordered_json::array();
    one["rules"] = nlohmann::ordered_json::array();
    for (const auto& rule : experiment.rules) {
      one["claims"].push_back(rule.claim);
      one["rules"].push_back({{"claim", rule.claim},
                              {"says", claim(rule.claim).brief.en},
                              {"kind", words_of(rule.decision.kind).en},
                              {"hash", rule_hash(rule)},
                              {"state", rule_state(rule).en}});
    }
    list.push_back(std::move(one));
  }
  return list.dump(2) + "\n";
}

LocalizedText nothing_kept_words(const std::filesystem::path& folder) {
  return localize("run.kept.none", {{"folder", path_text(folder)}});
}

LocalizedText kept_words(size_t ended, size_t count, const std::filesystem::path& folder) {
  const LocalizedText what = localize("run.kept.counted", {{"ended", ended}, {"count", count}});
  return localize("run.kept.some", {{"what", what}, {"folder", path_text(folder)}});
}

LocalizedText comparison_kept_words(const std::filesystem::path& folder) {
  return localize("run.kept.some", {{"what", localize("run.kept.of_comparison")}, {"folder", path_text(folder)}});
}

LaboratoryLine::LaboratoryLine(Language language) : language_(language), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

LaboratoryLine::~LaboratoryLine() {
  if (columns_written_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(columns_written_), "");
}

void LaboratoryLine::show(const LaboratoryProgress& progress) {
  if (!is_terminal_) return;
  const auto now = Clock::now();
  if (now - last_ < kBetweenUpdates) return;
  last_ = now;
  LocalizedText line = localize("run.progress.ended", {{"names", progress.under_way},
                                                       {"ended", progress.ended},
                                                       {"count", progress.count},
                                                       {"percent", 100 * progress.share}});
  const double done = progress.share - progress.kept;
  if (done > kLeastShareForForecast) {
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const LocalizedText left =
        localize("run.progress.left", {{"time", duration_words(seconds / done * (1 - progress.share))}});
    line = {line.en + left.en, line.zh + left.zh};
  }
  const std::string& text = in(language_, line);
  std::fprintf(stderr, "\r%s", padded(text, columns_written_).c_str());
  columns_written_ = columns_of(text);
}

}  // namespace summand::lab
