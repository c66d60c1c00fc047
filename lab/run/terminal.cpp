#include "lab/run/terminal.hpp"
#include "lab/experiments/experiments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "lab/core/rounded.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/results/outcome.hpp"
#include "lab/results/rule_state.hpp"

namespace summand::lab {

namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{200};
constexpr double kLeastShareForForecast = 0.02;

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string number_text(double value) {
  constexpr double kFourDigits = 999.5;  // rounded to three it is 1000
  const bool large = std::abs(value) >= kFourDigits && std::abs(value) < 1e6;
  return large ? fmt::format("{:.0f}", Rounded{value}) : fmt::format("{:.3g}", Rounded{value});
}

// Widths are columns of a terminal, of which a Chinese character takes two: fmt counts so.
std::string row(std::string_view claim, std::string_view kind, std::string_view observation, std::string_view inference,
                std::string_view conclusion, std::string_view brief) {
  return fmt::format("{:<5} {:<7} {:<14} {:<15} {:<10} {}\n", claim, kind, observation, inference, conclusion, brief);
}

/// The number that decided, beside its null and its control, and what it is; in its place why there is none.
std::string deciding_number_text(const Outcome& outcome, Language language) {
  const Number* number = outcome.number();
  if (number == nullptr) return in(language, outcome.verdict.reason);
  const bool chinese = language == Language::zh;
  std::vector<std::string> beside;
  if (number->null) beside.push_back((chinese ? "零假设 " : "null ") + number_text(number->null->value));
  if (number->control) beside.push_back((chinese ? "正对照 " : "control ") + number_text(number->control->value));
  std::string text = number_text(number->value);
  if (!beside.empty()) text += fmt::format(" ({})", fmt::join(beside, ", "));
  return text + ": " + in(language, number->label);
}

/// Whether what the document concludes is true here; nothing where it concludes nothing.
std::string conclusion_of(const Outcome& outcome, Language language) {
  return outcome.rule->conclusion.en.empty() ? "-" : in(language, words_of(outcome.truth));
}

}  // namespace

std::string summary_text(const std::vector<ExperimentResult>& reports, Language language) {
  const bool chinese = language == Language::zh;
  std::string text = chinese ? row("说法", "类别", "观察", "推断", "结论", "内容，以及起决定作用的数值")
                             : row("claim", "kind", "observation", "inference", "conclusion",
                                   "what it says, and the number that decided");
  size_t not_run = 0;
  for (const auto& outcome : outcomes(reports, ledger())) {
    if (outcome.report == nullptr) {
      ++not_run;
      continue;
    }
    text += row(outcome.claim->id, in(language, words_of(outcome.rule->decision.kind)),
                in(language, words_of(outcome.verdict.observation)), in(language, words_of(outcome.verdict.inference)),
                conclusion_of(outcome, language), in(language, outcome.claim->brief));
    text += fmt::format("{:5} {}\n", "", deciding_number_text(outcome, language));
  }
  if (not_run > 0) {
    text += chinese ? fmt::format("另有 {} 条说法未运行，或需要训练好的对照模型\n", not_run)
                    : fmt::format("{} more claims: not run, or in need of trained controls\n", not_run);
  }
  return text;
}

std::string list_text() {
  size_t width = 0;
  for (const auto& experiment : experiments()) width = std::max(width, experiment.name.size());
  std::string text;
  for (const auto& experiment : experiments()) {
    text += fmt::format("{:<{}}  {}\n", experiment.name, width, experiment.question.en);
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
                              {"kind", words_of(rule.decision.kind).en},
                              {"hash", rule_hash(rule)},
                              {"state", rule_state(rule).en}});
    }
    list.push_back(std::move(one));
  }
  return list.dump(2) + "\n";
}

LaboratoryLine::LaboratoryLine() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

LaboratoryLine::~LaboratoryLine() {
  if (columns_written_ > 0) std::fprintf(stderr, "\r%*s\r", static_cast<int>(columns_written_), "");
}

void LaboratoryLine::show(const LaboratoryProgress& progress) {
  if (!is_terminal_) return;
  const auto now = Clock::now();
  if (now - last_ < kBetweenUpdates) return;
  last_ = now;
  std::string line = fmt::format("{} ({} of {} ended), {:.0f} %", progress.under_way, progress.ended, progress.count,
                                 100 * progress.share);
  const double done = progress.share - progress.kept;
  if (done > kLeastShareForForecast) {
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    line += ", " + duration_text(seconds / done * (1 - progress.share)) + " left";
  }
  std::fprintf(stderr, "\r%-*s", static_cast<int>(columns_written_), line.c_str());
  columns_written_ = line.size();
}

}  // namespace summand::lab
