#include "lab/run/terminal.hpp"
#include "lab/experiments/experiments.hpp"

#include <fmt/format.h>
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
constexpr auto kNumbers = "{:>8} {:>8} {:>8}  {}";

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
                std::string_view conclusion, std::string_view numbers) {
  return fmt::format("{:<5} {:<7} {:<14} {:<15} {:<10} {}\n", claim, kind, observation, inference, conclusion, numbers);
}

/// The number that decided, its null and its control in columns, and what it is.
std::string deciding_number_text(const Outcome& outcome, Language language) {
  const Number* number = outcome.number();
  if (number == nullptr) return in(language, outcome.verdict.reason);
  const auto beside = [](const std::optional<Beside>& of) { return of ? number_text(of->value) : "-"; };
  return fmt::format(kNumbers, number_text(number->value), beside(number->null), beside(number->control),
                     in(language, number->label));
}

/// Whether what the document concludes is true here; nothing where it concludes nothing.
std::string conclusion_of(const Outcome& outcome, Language language) {
  return outcome.rule->conclusion.en.empty() ? "-" : in(language, words_of(outcome.truth));
}

}  // namespace

std::string summary_text(const std::vector<ExperimentResult>& reports, Language language) {
  const bool chinese = language == Language::zh;
  const std::string numbers = chinese ? fmt::format(kNumbers, "数值", "零假设", "对照", "含义")
                                      : fmt::format(kNumbers, "number", "null", "control", "of");
  std::string text = chinese ? row("主张", "类别", "观察", "推断", "结论", numbers)
                             : row("claim", "kind", "observation", "inference", "conclusion", numbers);
  size_t not_run = 0;
  for (const auto& outcome : outcomes(reports, ledger())) {
    if (outcome.report == nullptr) {
      ++not_run;
      continue;
    }
    text += row(outcome.claim->id, in(language, words_of(outcome.rule->decision.kind)),
                in(language, words_of(outcome.verdict.observation)), in(language, words_of(outcome.verdict.inference)),
                conclusion_of(outcome, language), deciding_number_text(outcome, language));
  }
  if (not_run > 0) {
    text += chinese ? fmt::format("另有 {} 条主张未运行，或需要训练好的对照模型\n", not_run)
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
