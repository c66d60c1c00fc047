// 4.8 and 0.4: how long are the rows of the three tables, and can the position row answer for a text's length?
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/norms/norm_lists.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/ordinary_items.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"
#include "model/taps.hpp"

namespace summand::lab {

namespace norms {
namespace {

constexpr double kLarger = 1.1;         // of one mean norm over the other: what counts as larger
constexpr double kHigh = 0.975;         // of dealt tables: the upper end of their middle 95 %
constexpr double kMoves = 1e-3;         // beside the vector's deviation: what depends on the length
constexpr size_t kLeastPositions = 16;  // for lengths that differ
constexpr size_t kLeastLength = 3;      // [CLS], a token, [SEP]
constexpr size_t kWatched = 1;          // the token looked at: the first behind [CLS]

constexpr NumberName kAboveDealt{"norms", "above_dealt"};
constexpr NumberName kLargestDifference{"norms", "largest_difference"};
constexpr NumberName kRangeOfSigma{"norms", "range_of_sigma"};
constexpr NumberName kNormAgainstPosition{"norms", "norm_against_position"};

/// How much is drawn.
struct Size {
  size_t draws = 1000;  ///< of the ratio's null
  size_t deals = 20;    ///< of the rows of all tables
  size_t orders = 200;
};
constexpr Size kFull{};
constexpr Size kQuick{.draws = 100, .deals = 5, .orders = 20};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"larger", kLarger},
          {"high", 100 * kHigh},
          {"planted", kPlantedRatio},
          {"positions", kLeastPositions},
          {"tokens", 2 * kLeastLength},
          {"short", kShortSequence},
          {"moves", kMoves}};
}

/// Over the corpus' texts, of the ratios that are weighted by them.
void add_intervals(const NormLists& lists, const NormCorpus& corpus, const Draws& draws, std::vector<Number>& numbers) {
  for (Number& number : numbers) {
    const bool raw = number.name == kRawRatioCorpus.name;
    const bool words = number.name == kCentredRatioWords.name;
    if (!raw && !words && number.name != kCentredRatioCorpus.name) continue;
    const auto& items = words ? corpus.words : corpus.all;
    const auto& token = raw ? lists.token : lists.centred_token;
    const auto& position = raw ? lists.position : lists.centred_position;
    const auto ratio = [&](std::span<const size_t> texts) { return corpus_ratio(items, token, position, texts); };
    Draws of_this = draws;
    of_this.name = "norms: " + number.name;
    number.interval = bootstrap(items.texts.size() - 1, ratio, of_this);
  }
}

ReferenceValue dealt_reference(const std::vector<double>& dealt) {
  return {.value = median(dealt), .interval = middle_95_percent(dealt), .of = localize("norms.dealt")};
}

void measure_norms(const Subject& subject, const Conditions& conditions, Findings& findings) {
  if (lacking(subject.positions, 2, 1)) {
    findings.gaps["4.8"] = localize("norms.gaps.equal_rows");
    return;
  }
  const NormCorpus corpus{.all = corpus_items(subject), .words = ordinary_items(subject)};
  const std::array<Table, 3> seen{seen_tokens(subject), seen_positions(subject), seen_rows(subject, subject.segments)};
  const NormLists own = norm_lists(seen[0], seen[1], seen[2], seen_tokens_but_first(subject));
  const Draws draws{.seed = conditions.seed,
                    .name = "norms: dealt",
                    .count = size_of(conditions).draws,
                    .threads = thread_count(conditions)};
  if (conditions.quick) {
    findings.left_out.push_back(localize(
        "norms.left_out.draws",
        {{"few", kQuick.draws}, {"many", kFull.draws}, {"few_deals", kQuick.deals}, {"many_deals", kFull.deals}}));
  }
  const NormLists planted = scaled_lists(own);
  const auto dealt = dealt_ratios(own.centred_token, own.centred_position, draws);
  const auto dealt_planted = dealt_ratios(planted.centred_token, planted.centred_position, draws);
  conditions.progress(0.4);
  const size_t deals = size_of(conditions).deals;
  const BareNumbers null =
      median_numbers({.seed = conditions.seed, .name = "norms: dealt rows", .count = deals},
                     [&](RandomStream& stream) { return bare_numbers_of(dealt_lists(seen, stream), corpus); });
  const LocalizedText of_null = localize("norms.dealt_times", {{"times", deals}});
  const LocalizedText of_control = localize("norms.scaled", settings());
  auto numbers =
      with_references(bare_numbers_of(own, corpus), {of_null, null}, {of_control, bare_numbers_of(planted, corpus)});
  if (const auto few = too_few(corpus.words.filled_texts(), texts_with_a_word())) {
    findings.remarks.push_back(without_interval(*few));
  } else {
    add_intervals(own, corpus, draws, numbers);
  }
  numbers.front().null = dealt_reference(dealt);
  const double ratio = numbers.front().value;
  const double ratio_planted = numbers.front().control->value;
  // Behind the ratio that it belongs to.
  numbers.insert(numbers.begin() + 1, NumberBuilder(kAboveDealt, share_below(ratio, dealt))
                                          .null(share_below(median(dealt), dealt), localize("norms.one_dealt"))
                                          .control(share_below(ratio_planted, dealt_planted), of_control));
  findings.numbers["4.8"].add(std::move(numbers));
}

/// Keeps one token's values at the points that the question is about, text by text.
class WatchToken : public model::Taps<float> {
 public:
  [[nodiscard]] bool wants(model::TapPoint point) const override {
    return point == model::TapPoint::position_part || point == model::TapPoint::sum ||
           point == model::TapPoint::input || point == model::TapPoint::layer_output;
  }
  void visit(const model::TapSite& site, MatrixView<float> values) override {
    if (site.layer > 0) return;
    const auto row = values.row(kWatched);
    seen_[site.point].emplace_back(Vector::Zero(static_cast<Eigen::Index>(row.size())));
    for (size_t i = 0; i < row.size(); ++i) seen_[site.point].back()(static_cast<Eigen::Index>(i)) = double{row[i]};
  }
  /// The largest difference from the first text, in deviations of that text's vector.
  [[nodiscard]] double largest_difference(model::TapPoint point) const {
    const auto& vectors = seen_.at(point);
    const double scale = standard_deviation(elements(vectors.front()));
    double largest = 0;
    for (const auto& vector : vectors) largest = std::max(largest, (vector - vectors.front()).cwiseAbs().maxCoeff());
    return scale > 0 ? largest / scale : largest;
  }
  /// The deviation of the vector's coordinates, largest less smallest over the texts; of the sum it is the first
  /// normalisation's σ.
  [[nodiscard]] double range_of_deviation(model::TapPoint point) const {
    std::vector<double> deviations;
    for (const auto& vector : seen_.at(point)) deviations.push_back(standard_deviation(elements(vector)));
    return std::ranges::max(deviations) - std::ranges::min(deviations);
  }

 private:
  std::map<model::TapPoint, std::vector<Vector>> seen_;
};

/// The longest text of the corpus, cut shorter and shorter: the token behind [CLS] stays what and where it is.
std::optional<model::Batch> texts_of_many_lengths(const Subject& subject) {
  const auto longer = [](const text::Encoding& a, const text::Encoding& b) { return a.ids.size() < b.ids.size(); };
  const auto& sentences = subject.corpus.sentences;
  const auto longest = std::max_element(sentences.begin(), sentences.end(), longer);
  if (longest == sentences.end() || longest->ids.size() < 2 * kLeastLength) return {};
  model::Batch batch;
  for (size_t length = longest->ids.size(); length >= kLeastLength; length /= 2) {
    batch.add(std::span(longest->ids).first(length), std::span(longest->segments).first(length));
  }
  // A tokenizer may name a segment that the model has no row of.
  const auto last_segment = static_cast<int32_t>(std::max<Eigen::Index>(subject.segments.rows(), 1)) - 1;
  for (int32_t& segment : batch.segments) segment = std::min(segment, last_segment);
  return batch;
}

void measure_lengths_norms(const Subject& subject, const Conditions& conditions, Findings& findings) {
  if (subject.model && subject.model->config().num_hidden_layers < 1) {
    findings.gaps["0.4"] = localize("norms.gaps.no_layer");
    return;
  }
  const auto batch = texts_of_many_lengths(subject);
  if (!batch || subject.positions.rows() < static_cast<Eigen::Index>(kLeastPositions)) {
    findings.gaps["0.4"] = localize("norms.gaps.no_lengths", settings());
    return;
  }
  WatchToken watch;
  subject.model->engine().run(*batch, {.hidden_states = {1}, .taps = &watch});
  const LocalizedText of_null = localize("norms.position_row");
  const LocalizedText of_control = localize("norms.behind_first_layer");
  Numbers& numbers = findings.numbers["0.4"];
  numbers.add(
      NumberBuilder(kLargestDifference, watch.largest_difference(model::TapPoint::input), {{"lengths", batch->texts()}})
          .null(watch.largest_difference(model::TapPoint::position_part), of_null)
          .control(watch.largest_difference(model::TapPoint::layer_output), of_control));
  numbers.add(NumberBuilder(kRangeOfSigma, watch.range_of_deviation(model::TapPoint::sum))
                  .null(watch.range_of_deviation(model::TapPoint::position_part), of_null)
                  .control(watch.range_of_deviation(model::TapPoint::layer_output), of_control));
  const auto norms = norms_of(centred(seen_positions(subject)));
  std::vector<double> place(norms.size());
  std::iota(place.begin(), place.end(), 0.0);
  const double tau = kendall_tau(place, norms);
  const auto shuffled = drawn({.seed = conditions.seed,
                               .name = "norms: order",
                               .count = size_of(conditions).orders,
                               .threads = thread_count(conditions)},
                              [&](RandomStream& stream) {
                                std::vector<double> order = norms;
                                stream.shuffle(std::span(order));
                                return kendall_tau(place, order);
                              });
  numbers.add(NumberBuilder(kNormAgainstPosition, tau)
                  .null(median_estimate(shuffled), localize("norms.random_order"))
                  .control(1, localize("norms.growing")));
  if (conditions.quick) {
    findings.left_out.push_back(localize("norms.left_out.orders", {{"few", kQuick.orders}, {"many", kFull.orders}}));
  }
}

Figure norms_figure(const Subject& subject) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("norms.figures.norms-by-position.") + name, settings());
  };
  const std::vector<Series> series{{text("raw"), {.colour = "@blue", .width = 2}},
                                   {text("centred"), {.colour = "@orange", .dash = {5, 2}}}};
  std::vector<double> place;
  std::vector<double> norm;
  std::vector<LocalizedText> which;
  const auto add = [&](const Table& table, const Series& one) {
    const auto norms = norms_of(table);
    for (size_t i = 0; i < norms.size(); ++i) {
      place.push_back(static_cast<double>(i));
      norm.push_back(norms[i]);
      which.push_back(one.words);
    }
  };
  add(subject.positions, series[0]);
  add(centred(seen_positions(subject)), series[1]);
  std::vector<Json> marks{mark({{"type", "line"}}, of_lines({{"x", whole("position", text("position"))},
                                                             {"y", number("norm", text("norm"))}},
                                                            "rows", text("rows"), series)),
                          rule("x", static_cast<double>(kShortSequence)),
                          rule_label("x", static_cast<double>(kShortSequence), text("short"))};
  if (subject.tokens.rows() > 0) {
    const double of_tokens = mean(norms_of(reached_tokens(subject)));
    marks.push_back(rule("y", of_tokens));
    marks.push_back(rule_label("y", of_tokens, text("of_tokens")));
  }
  return {.name = "norms-by-position",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers(std::move(marks)),
          .data = FigureData{{{"position", place}, {"norm", norm}, {"rows", which}}}};
}

Findings run_norms(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  findings.figures.push_back(norms_figure(subject));
  if (const auto lacking = lacks_sum(subject)) {
    findings.gaps["4.8"] = *lacking;
    findings.gaps["0.4"] = *lacking;
    return findings;
  }
  measure_norms(subject, conditions, findings);
  conditions.progress(0.8);
  measure_lengths_norms(subject, conditions, findings);
  conditions.progress(1);
  return findings;
}

FormatArgs ratios(const Numbers& numbers) {
  return {{"raw", numbers.value(kRawRatio)},
          {"centred", numbers.value(kCentredRatio)},
          {"ordinary", numbers.value(kCentredRatioOrdinary)}};
}

struct RuleInputs {
  double ratio = 0;
  double above = 0;  ///< the share of dealt tables whose ratio is smaller
};

Observation which_is_longer(const RuleInputs& one) {
  if (one.ratio >= kLarger && one.above > kHigh) return Observation::holds;
  if (one.ratio <= 1 / kLarger && one.above < 1 - kHigh) return Observation::fails;
  return Observation::cannot_be_told;
}

Verdict judge_norms(const Numbers& numbers) {
  Verdict verdict;
  const auto inputs = controlled(numbers, [](const NumberReader& of) {
    return RuleInputs{of.value(kCentredRatio), of.value(kAboveDealt)};
  });
  verdict.observation = inputs.judged_by(which_is_longer, Observation::cannot_be_told);
  const double ratio = numbers.value(kCentredRatio);
  const double ordinary = numbers.value(kCentredRatioOrdinary);
  const bool agrees = verdict.observation == Observation::holds ? ordinary >= kLarger : ordinary <= 1 / kLarger;
  if (!agrees) verdict.observation = Observation::cannot_be_told;
  const double above = numbers.value(kAboveDealt);
  verdict.number = deciding_number({{kCentredRatio, ratio >= kLarger || ratio <= 1 / kLarger},
                                    {kCentredRatioOrdinary, agrees},
                                    {kAboveDealt, above > kHigh || above < 1 - kHigh}});
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = localize("norms.reasons.norms", ratios(numbers));
  return verdict;
}

Verdict judge_lengths(const Numbers& numbers) {
  const double difference = numbers.value(kLargestDifference);
  const double control = numbers.control(kLargestDifference);
  Verdict verdict;
  if (control <= kMoves) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = difference == 0       ? Observation::fails
                          : difference > kMoves ? Observation::holds
                                                : Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason =
      localize("norms.reasons.lengths",
               {{"difference", difference}, {"sigma", numbers.value(kRangeOfSigma)}, {"control", control}});
  return verdict;
}

LocalizedText answer_to_lengths(Observation observation) {
  switch (observation) {
    case Observation::fails:
      return localize("norms.answers.lengths_unknown");
    case Observation::holds:
      return localize("norms.answers.lengths_known");
    case Observation::cannot_be_told:
    case Observation::not_judged:
    case Observation::not_measured:
      break;
  }
  return localize("norms.answers.lengths_not_told");
}

LocalizedText answer_to_norms(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.8")) return gap_answer(findings.gaps.at("4.8"));
  const auto observation = verdicts.at("4.8").observation;
  const char* verdict = observation == Observation::holds   ? "norms.answers.verdicts.longer"
                        : observation == Observation::fails ? "norms.answers.verdicts.not_longer"
                                                            : "norms.answers.verdicts.not_told";
  FormatArgs args = ratios(findings.numbers.at("4.8"));
  args.emplace_back("verdict", localize(verdict));
  return localize("norms.answers.norms", args);
}

LocalizedText answer_norms(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  const LocalizedText norms = answer_to_norms(findings, verdicts);
  if (findings.gaps.contains("0.4")) return norms;
  return localize("norms.answers.both",
                  {{"norms", norms}, {"lengths", answer_to_lengths(verdicts.at("0.4").observation)}});
}

}  // namespace
}  // namespace norms

Experiment norms_experiment() {
  using namespace norms;
  Experiment experiment = described_experiment("norms", settings());
  experiment.effort = 4;
  experiment.rules = {described_rule("norms", "4.8", judge_norms, settings(), {.claim = "4.2"}),
                      described_rule("norms", "0.4", judge_lengths, settings(), {.kind = Kind::code, .claim = "0.4"})};
  experiment.run = run_norms;
  experiment.answer = answer_norms;
  return experiment;
}

}  // namespace summand::lab
