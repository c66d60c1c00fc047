// 4.10: which components, and which periods, of the position table does the model use, and how many are enough?
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/removed_components/piece_bench.hpp"
#include "lab/experiments/removed_components/piece_figures.hpp"
#include "lab/experiments/removed_components/piece_numbers.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace removed_components {
namespace {

constexpr double kEnough = 0.95;        // of what all components do: what a reader would call the same output
constexpr size_t kFew = 16;             // components: what "the first few dimensions" may be at most, and
constexpr size_t kFewOfDimensions = 8;  // … no more than one of so many
constexpr double kLeastEffect = 1e-6;   // of all positions, on 1 − cosine: below it there is nothing to keep
constexpr size_t kShortestMasked = 4;   // tokens
constexpr size_t kLeastPositions = 8;   // for bands
constexpr size_t kLeastComponents = 4;

constexpr NumberName kKeptBy{"removed_components", "kept_by"};
constexpr const char* kFewMember = "few";  // of that family
constexpr NumberName kKeptByFirstCoordinates{"removed_components", "kept_by_first_coordinates"};
constexpr NumberName kKeptInUseByFew{"removed_components", "kept_in_use_by_few"};
constexpr NumberName kEnoughComponents{"removed_components", "enough"};
constexpr NumberName kToldApartBy{"removed_components", "told_apart_by"};
constexpr NumberName kKeptByTellingApart{"removed_components", "kept_by_telling_apart"};
constexpr NumberName kFewStates{"removed_components", "few_states"};
constexpr NumberName kFewLoss{"removed_components", "few_loss"};

constexpr std::array<size_t, 8> kCounts{1, 2, 4, 8, 16, 32, 64, 128};
constexpr std::array<size_t, 4> kFewCounts{1, 4, 16, 64};

/// How much is measured.
struct Size {
  size_t texts = 24;
  size_t longest = 64;  ///< tokens
  size_t components = 24;
  size_t resamplings = 500;
  std::span<const size_t> kept = kCounts;
};
constexpr Size kFull{};
constexpr Size kQuick{.texts = 6, .longest = 24, .components = 6, .resamplings = 100, .kept = kFewCounts};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
Fills settings() {
  return {{"few", kFew}, {"enough", kEnough}, {"told_apart", 100 * kToldApart}, {"shortest", kShortestMasked}};
}

size_t few_of(const PieceBench& bench) {
  return std::clamp<size_t>(static_cast<size_t>(bench.pieces().table().cols()) / kFewOfDimensions, 1, kFew);
}

/// The checkpoint's table, one that needs every dimension, and one that has half as many as are few.
struct Benches {
  PieceBench own, white, narrow;

  Benches(const Subject& subject, const Conditions& conditions, const Texts& texts, const Draws& draws)
      : own(subject, conditions, subject.positions, texts, draws),
        white(subject, conditions, noise(subject.positions, conditions), texts, draws),
        narrow(subject, conditions, own.pieces().first_components(std::max<size_t>(1, few_of(own) / 2)), texts, draws) {
  }

  /// As large as the table's deviations, around its mean row.
  static Table noise(const Table& positions, const Conditions& conditions) {
    RandomStream stream(conditions.seed, "removed components: noise");
    const Table around = centred(positions);
    Table rows = white_noise({static_cast<size_t>(positions.rows()), static_cast<size_t>(positions.cols())}, stream);
    rows *= around.norm() / rows.norm();
    return rows.rowwise() + column_means(positions).transpose();
  }
};

/// Measures one thing of all three benches.
class BesideBenches {
 public:
  BesideBenches(const Benches& benches, Numbers& numbers)
      : benches_(benches),
        numbers_(numbers),
        white_(wording("removed_components.beside.white")),
        narrow_(wording("removed_components.beside.narrow", {{"components", benches.narrow.pieces().components()}})) {}

  template <class Of>
  void add(const NumberName& name, const Fills& fills, const Of& of) const {
    numbers_.add(
        Measured(name, of(benches_.own), fills).null(of(benches_.white), white_).control(of(benches_.narrow), narrow_));
  }
  template <class Of>
  void add_kept(const NumberName& name, const Fills& fills, const Of& of) const {
    add_kept(name.name, name.label(fills), of);
  }
  /// By the first components: one of the family.
  void add_kept_by(const std::string& member, size_t count) const {
    add_kept(kKeptBy.of(member), kKeptBy.label({{"count", count}}),
             [count](const PieceBench& bench) { return bench.kept_by(count); });
  }

 private:
  template <class Of>
  void add_kept(const std::string& name, const Words& label, const Of& of) const {
    const Kept own = of(benches_.own);
    numbers_.add(Measured(name, label, own.value)
                     .interval(own.interval)
                     .null(of(benches_.white).value, white_)
                     .control(of(benches_.narrow).value, narrow_));
  }

  const Benches& benches_;
  Numbers& numbers_;
  Words white_;
  Words narrow_;
};

size_t told_apart_by(const PieceBench& bench, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "removed components: told apart");
  return bench.pieces().telling_apart(stream);
}

/// The least tried count that keeps enough; all components if none does.
size_t enough_of(const PieceBench& bench, std::span<const size_t> tried) {
  for (const size_t count : tried) {
    if (count < bench.pieces().components() && bench.kept_by(count).value >= kEnough) return count;
  }
  return bench.pieces().components();
}

void measure_kept(const Benches& benches, const Conditions& conditions, Findings& findings) {
  const Size size = size_of(conditions);
  const size_t few = few_of(benches.own);
  const BesideBenches beside(benches, findings.numbers["4.10"]);
  const Fills of_few{{"count", few}};
  beside.add_kept_by(kFewMember, few);
  const auto line = [](const char* name) {
    return wording(std::string("removed_components.figures.kept-components.") + name);
  };
  std::vector<KeptPoint> points;
  for (const size_t count : size.kept) {
    if (count >= benches.own.pieces().components()) break;
    if (count != few) beside.add_kept_by(std::to_string(count), count);
    points.push_back({line("own"), count, benches.own.kept_by(count).value});
    points.push_back({line("white"), count, benches.white.kept_by(count).value});
    points.push_back({line("narrow"), count, benches.narrow.kept_by(count).value});
  }
  beside.add_kept(kKeptByFirstCoordinates, of_few,
                  [few](const PieceBench& bench) { return bench.kept(bench.pieces().first_coordinates(few)); });
  beside.add_kept(kKeptInUseByFew, of_few, [few](const PieceBench& bench) { return bench.kept_in_use(few); });
  beside.add(kEnoughComponents, settings(),
             [&](const PieceBench& bench) { return static_cast<double>(enough_of(bench, size.kept)); });
  beside.add(kToldApartBy, settings(),
             [&](const PieceBench& bench) { return static_cast<double>(told_apart_by(bench, conditions)); });
  beside.add_kept(kKeptByTellingApart, {},
                  [&](const PieceBench& bench) { return bench.kept_by(told_apart_by(bench, conditions)); });
  const auto few_kept = [few](const PieceBench& bench) {
    return bench.change(bench.pieces().first_components(few), CompareStates::all);
  };
  beside.add(kFewStates, of_few, [&](const PieceBench& bench) { return few_kept(bench).states.back(); });
  if (benches.own.has_loss()) {
    beside.add(kFewLoss, of_few, [&](const PieceBench& bench) { return mean(few_kept(bench).losses); });
  }
  findings.figures.push_back(kept_figure(points, kEnough));
}

void add_remarks(const PieceBench& bench, const Conditions& conditions, Findings& findings) {
  if (conditions.quick) {
    findings.left_out.push_back(wording("removed_components.left_out", {{"few_texts", kQuick.texts},
                                                                        {"few_tokens", kQuick.longest},
                                                                        {"few_components", kQuick.components},
                                                                        {"few_counts", kQuick.kept.size()},
                                                                        {"few_resamplings", kQuick.resamplings},
                                                                        {"texts", kFull.texts},
                                                                        {"tokens", kFull.longest},
                                                                        {"components", kFull.components},
                                                                        {"counts", kFull.kept.size()},
                                                                        {"resamplings", kFull.resamplings}}));
  }
  findings.remarks.push_back(wording("removed_components.remarks.whole_table"));
  findings.remarks.push_back(wording("removed_components.remarks.training"));
  if (!bench.has_loss()) findings.remarks.push_back(wording("removed_components.remarks.no_loss"));
}

std::optional<Words> lacks_pieces(const Subject& subject) {
  if (auto lacking_sum = lacks_sum(subject)) return lacking_sum;
  return lacking(subject.positions, kLeastPositions, kLeastComponents);
}

Findings run_removed_components(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Size size = size_of(conditions);
  RandomStream stream(conditions.seed, "removed components: texts");
  Texts texts = texts_of(subject, {.most = size.texts, .longest = size.longest, .shortest = kShortestMasked}, stream);
  auto missing = lacks_pieces(subject);
  if (!missing && texts.batch.texts() < 2) {
    missing = wording("removed_components.gaps.few_texts", settings());
  }
  if (missing) {
    findings.gaps["4.10"] = *missing;
    return findings;
  }
  for (int32_t& segment : texts.batch.segments) {
    segment = std::min(segment, static_cast<int32_t>(subject.segments.rows() - 1));
  }
  const Benches benches(subject, conditions, texts,
                        {.seed = conditions.seed,
                         .name = "removed components: bootstrap",
                         .count = size.resamplings,
                         .threads = threads_of(conditions)});
  if (mean(benches.own.all_removed().vectors) < kLeastEffect) {
    findings.gaps["4.10"] = wording("removed_components.gaps.no_effect");
    return findings;
  }
  conditions.progress(0.1);
  measure_kept(benches, conditions, findings);
  conditions.progress(0.5);
  measure_components(benches.own, size.components, conditions, findings);
  conditions.progress(0.8);
  measure_bands(benches.own, findings);
  add_remarks(benches.own, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// What the reason and the answer say.
Fills measured(const Numbers& numbers) {
  return {{"told_apart", numbers.value(kToldApartBy)},
          {"kept_apart", numbers.value(kKeptByTellingApart)},
          {"enough", numbers.value(kEnoughComponents)},
          {"bar", kEnough}};
}

Verdict judge_removed_components(const Numbers& numbers) {
  const std::string name = kKeptBy.of(kFewMember);
  const auto& few = numbers.at(name);
  Verdict verdict;
  if (numbers.null(name) >= kEnough || numbers.control(name) < kEnough) {
    verdict.observation = Observation::cannot_be_told;
  } else if (few.interval->low >= kEnough) {
    verdict.observation = Observation::holds;
  } else if (few.interval->high < kEnough) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const auto& apart = numbers.at(kKeptByTellingApart);
  verdict.inference = apart.interval->low >= kEnough ? Inference::follows : Inference::does_not_follow;
  // Which components are few stands in the label alone.
  const Words which{few.label.en.substr(0, few.label.en.find(':')), few.label.zh.substr(0, few.label.zh.find("："))};
  Fills fills = measured(numbers);
  fills.emplace_back("few", which);
  fills.emplace_back("kept", few.value);
  verdict.reason = wording("removed_components.reason", fills);
  return verdict;
}

Words answer_removed_components(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.10")) return findings.gaps.at("4.10");
  const auto seen = verdicts.at("4.10").observation;
  const char* verdict = seen == Observation::holds   ? "removed_components.verdicts.holds"
                        : seen == Observation::fails ? "removed_components.verdicts.fails"
                                                     : "removed_components.verdicts.cannot_be_told";
  Fills fills = measured(findings.numbers.at("4.10"));
  fills.emplace_back("verdict", wording(verdict));
  return wording("removed_components.answer", fills);
}

}  // namespace
}  // namespace removed_components

Experiment removed_components_experiment() {
  using namespace removed_components;
  Experiment experiment = described_experiment("removed_components", settings());
  experiment.effort = 30;
  experiment.rules = {described_rule("removed_components", "4.10", judge_removed_components, settings())};
  experiment.run = run_removed_components;
  experiment.answer = answer_removed_components;
  return experiment;
}

}  // namespace summand::lab
