// Q10: what is lost of a text that is longer than the table, and what keeps it?
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/long_texts/document_worlds.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/long_positions.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace long_texts {
namespace {

constexpr size_t kLeastTable = 16;
constexpr size_t kShortestSentence = 3;  // tokens
constexpr double kOfCorpus = 0.7;        // of it, at most, in one document: the others need sentences that it lacks
constexpr double kLeastTables = 1.25;    // that a document is long, at least
constexpr double kLeastGain = 0.05;      // where all fits and half is cut: less, and the measure sees no loss

constexpr NumberName kCutGain{"long_texts", "cut_gain"};
constexpr NumberName kOnePassGain{"long_texts", "one_pass_gain"};
constexpr NumberName kBestCutGap{"long_texts", "best_cut_gap"};
constexpr NumberName kFound{"long_texts", "found"};
constexpr NumberName kCut{"long_texts", "cut"};

/// How much is drawn.
struct Size {
  size_t documents = 10;
  size_t resamplings = 1000;
};
constexpr Size kFull{};
constexpr Size kQuick{.documents = kLeastResampled, .resamplings = 200};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"alpha", kHierarchicalShare}, {"least_gain", 100 * kLeastGain}};
}

/// The mean over sentences, or documents, that have a value, and where it lies when they are drawn again.
Estimate mean_over(std::vector<double> values, const Draws& draws) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  const auto of = [&](std::span<const size_t> chosen) {
    double total = 0;
    for (const size_t i : chosen) total += values[i];
    return total / static_cast<double>(chosen.size());
  };
  std::vector<size_t> all(values.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return {of(all), bootstrap(values.size(), of, draws)};
}

std::vector<double> less(std::vector<double> a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

/// Of head, tail, and both: the one whose vectors are nearest to the whole, on the average.
Treatment best_cut(const World& world) {
  return *std::ranges::max_element(kCuts, {}, [&](Treatment cut) { return mean(world.content_of(cut, world.own())); });
}

class NumbersOfWorlds {
 public:
  NumbersOfWorlds(const Worlds& worlds, Draws draws, Numbers& numbers)
      : worlds_(worlds), draws_(std::move(draws)), numbers_(numbers) {}

  using Of = std::function<std::vector<double>(const World&, const std::vector<size_t>&)>;

  /// @param control  in the world of documents that fit; the null is `of` with documents' vectors exchanged
  void add(const std::string& name, const LocalizedText& label, const Of& of, const Of& control) {
    const auto& [longer, fitting] = worlds_;
    numbers_.add(NumberBuilder(name, label, mean_over(of(longer, longer.own()), draws_))
                     .null(mean_over(of(longer, longer.exchanged()), draws_), localize("long_texts.of_null"))
                     .control(mean_over(control(fitting, fitting.own()), draws_), localize("long_texts.of_control")));
  }
  void add(const NumberName& name, const Of& of, const Of& control) { add(name.name, name.label(), of, control); }

 private:
  const Worlds& worlds_;
  Draws draws_;
  Numbers& numbers_;
};

void add_numbers(const Worlds& worlds, const Draws& draws, Numbers& numbers) {
  NumbersOfWorlds adder(worlds, draws, numbers);
  const Sought beyond{.part = {}, .beyond_head = true};
  const auto gain = [&](Treatment over) {
    return [=](const World& world, const std::vector<size_t>& rows) {
      return less(world.found_by(over, rows, beyond), world.found_by(Treatment::head, rows, beyond));
    };
  };
  const auto gap = [](Treatment whole) {
    return [=](const World& world, const std::vector<size_t>& rows) {
      return less(world.content_of(whole, rows), world.content_of(best_cut(world), rows));
    };
  };
  adder.add(kCutGain, gain(Treatment::windows), gain(Treatment::one_pass));
  adder.add(kOnePassGain, gain(Treatment::one_pass), gain(Treatment::one_pass));
  adder.add(kBestCutGap, gap(Treatment::windows), gap(Treatment::one_pass));
  const auto by_treatment = [&](const NumberName& family, const auto& by) {
    for (const auto treatment : kTreatments) {
      adder.add(family.of(name_of(treatment)), family.label({{"treatment", words_of(treatment)}}), by(treatment),
                by(Treatment::one_pass));
    }
  };
  const auto sought = [](const Sought& which) {
    return [=](Treatment one) {
      return [=](const World& world, const std::vector<size_t>& rows) { return world.found_by(one, rows, which); };
    };
  };
  by_treatment(kContent, [](Treatment one) {
    return [=](const World& world, const std::vector<size_t>& rows) { return world.content_of(one, rows); };
  });
  by_treatment(kFound, sought({}));
  by_treatment(kCut, sought(beyond));
}

/// How long documents are; or nothing where the corpus has too few sentences for one.
std::optional<size_t> document_tokens(size_t corpus_tokens, size_t rows) {
  const auto tokens = std::min(2 * rows, static_cast<size_t>(kOfCorpus * static_cast<double>(corpus_tokens)));
  if (static_cast<double>(tokens) < kLeastTables * static_cast<double>(rows)) return {};
  return tokens;
}

Worlds read_worlds(const DocumentReader& reader, const Subject& subject, const Conditions& conditions, size_t tokens) {
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const size_t framed = frame_of(subject).size();
  const size_t longest_sentence = rows / 4;
  const size_t count = size_of(conditions).documents;
  const Table longer = hierarchical_positions(subject.positions, tokens + longest_sentence + framed);
  Worlds worlds;
  worlds.longer.sentences = worlds.fitting.sentences = &reader.sentences();
  const DocumentsChoice choice{
      .count = count, .tokens = tokens, .room = rows - framed, .name = "long texts: document", .seed = conditions.seed};
  worlds.longer.documents = reader.read(choice, engine_with_positions(subject, longer, thread_count(conditions)));
  conditions.progress(0.7);
  const DocumentsChoice fits{.count = count,
                             .tokens = rows - framed - longest_sentence,
                             .room = rows / 2 - framed,
                             .name = "long texts: fitting document",
                             .seed = conditions.seed};
  worlds.fitting.documents = reader.read(fits, reader.engine());
  return worlds;
}

/// How many sentences stand behind the head and have a document without them, as documents are and exchanged: the
/// fewest.
size_t can_be_sought(const World& world) {
  const auto count = [&](const std::vector<size_t>& rows) {
    const auto values = world.found_by(Treatment::head, rows, {.part = {}, .beyond_head = true});
    return static_cast<size_t>(std::ranges::count_if(values, [](double value) { return std::isfinite(value); }));
  };
  return std::min(count(world.own()), count(world.exchanged()));
}

Findings run_long_texts(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q10"] = localize("long_texts.gaps.no_model");
    return findings;
  }
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const auto among = rows < kLeastTable ? std::vector<size_t>{} : texts_of_length(subject, kShortestSentence, rows / 4);
  const DocumentReader reader(subject, among, thread_count(conditions));
  const auto tokens = document_tokens(reader.tokens(), rows);
  if (rows < kLeastTable || !tokens) {
    findings.gaps["Q10"] =
        localize("long_texts.gaps.too_little", {{"least", kLeastTable}, {"tokens", reader.tokens()}, {"rows", rows}});
    return findings;
  }
  conditions.progress(0.1);
  const Worlds worlds = read_worlds(reader, subject, conditions, *tokens);
  const size_t sought = std::min(can_be_sought(worlds.longer), can_be_sought(worlds.fitting));
  if (const auto few = too_few(sought, localize("long_texts.sought"))) {
    findings.gaps["Q10"] = *few;
    return findings;
  }
  const Draws draws{.seed = conditions.seed,
                    .name = "long texts",
                    .count = size_of(conditions).resamplings,
                    .threads = thread_count(conditions)};
  add_numbers(worlds, draws, findings.numbers["Q10"]);
  findings.figures = {parts_figure(worlds), content_figure(findings.numbers["Q10"])};
  if (conditions.quick) {
    findings.left_out.push_back(localize("long_texts.left_out", {{"few", kQuick.documents},
                                                                 {"many", kFull.documents},
                                                                 {"few_resamplings", kQuick.resamplings},
                                                                 {"many_resamplings", kFull.resamplings}}));
  }
  findings.remarks.push_back(localize("long_texts.remarks.joined", {{"tokens", *tokens}}));
  conditions.progress(1);
  return findings;
}

/// The family's number of one treatment.
double value_of(const Numbers& numbers, const NumberName& family, Treatment treatment) {
  return numbers.value(family.of(name_of(treatment)));
}

/// Whether windows find what the head has cut.
enum class Windows { find_more, find_no_more, not_told };

Windows what_windows_find(const Numbers& numbers) {
  const Number& gain = numbers.at(kCutGain);
  const bool controls_pass = gain.control->interval->low >= kLeastGain && gain.null->value < gain.control->value;
  if (controls_pass && gain.interval->low > 0) return Windows::find_more;
  return controls_pass && gain.interval->high <= 0 ? Windows::find_no_more : Windows::not_told;
}

FormatArgs measured(const Numbers& numbers) {
  const Number& gain = numbers.at(kCutGain);
  const Number& gap = numbers.at(kBestCutGap);
  const auto percent = [&](Treatment treatment) { return 100 * value_of(numbers, kCut, treatment); };
  const auto content = [&](Treatment treatment) { return value_of(numbers, kContent, treatment); };
  return {{"head", percent(Treatment::head)},
          {"windows", percent(Treatment::windows)},
          {"one_pass", percent(Treatment::one_pass)},
          {"gain", 100 * gain.value},
          {"gain_low", 100 * gain.interval->low},
          {"gain_high", 100 * gain.interval->high},
          {"gap", gap.value},
          {"gap_low", gap.interval->low},
          {"gap_high", gap.interval->high},
          {"like_head", content(Treatment::head)},
          {"like_head_tail", content(Treatment::head_tail)},
          {"like_windows", content(Treatment::windows)},
          {"like_one_pass", content(Treatment::one_pass)}};
}

/// The document asks and claims nothing: numbers without a verdict.
Verdict judge_long_texts(const Numbers& numbers) {
  return {.observation = Observation::not_judged,
          .inference = Inference::not_tested,
          .reason = localize("long_texts.reason", measured(numbers))};
}

LocalizedText answer_long_texts(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("Q10")) return gap_answer(findings.gaps.at("Q10"));
  const Numbers& numbers = findings.numbers.at("Q10");
  const Windows windows = what_windows_find(numbers);
  const char* headline = windows == Windows::find_more      ? "long_texts.headlines.windows_keep_it"
                         : windows == Windows::find_no_more ? "long_texts.headlines.no_more_than_head"
                                                            : "long_texts.headlines.not_told";
  FormatArgs args = measured(numbers);
  args.emplace_back("headline", localize(headline));
  return localize("long_texts.answer", args);
}

}  // namespace
}  // namespace long_texts

Experiment long_texts_experiment() {
  using namespace long_texts;
  Experiment experiment = described_experiment("long_texts", settings());
  experiment.effort = 9;
  experiment.rules = {described_rule("long_texts", "Q10", judge_long_texts, settings())};
  experiment.run = run_long_texts;
  experiment.answer = answer_long_texts;
  return experiment;
}

}  // namespace summand::lab
