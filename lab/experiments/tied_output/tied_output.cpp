// Q6 and Q6b: is the output tied to the token table, what does that save, and does the nearest row win?
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "engine/engine.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/tied_output/nearest_rows.hpp"
#include "lab/experiments/tied_output/output_counts.hpp"
#include "lab/experiments/tied_output/output_figures.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace tied_output {
namespace {

using Eigen::Index;

constexpr double kMostly = 0.9;        // of vectors
constexpr double kLarger = 0.99;       // of the other words: "a larger probability"; one half would be any row's
constexpr double kMostRows = 0.5;      // that equal the next token's: rows hardly differ
constexpr double kNoSize = 1e-12;      // of the largest: a direction that rows do not have
constexpr double kSpreadOfNull = 1.0;  // standard deviation of the logarithm of a row's factor

constexpr NumberName kNearest{"tied_output", "nearest"};
// Its members.
constexpr const char* kCosine = "cosine";
constexpr const char* kDistance = "distance";
constexpr const char* kCosineWithoutBias = "cosine_without_bias";
constexpr const char* kDistanceWithoutBias = "distance_without_bias";
constexpr const char* kCosineCentred = "cosine_centred";
constexpr const char* kDistanceCentred = "distance_centred";
constexpr NumberName kAtEqualNorms{"tied_output", "nearest_at_equal_norms"};  // by cosine, by distance
constexpr NumberName kLargerThanMost{"tied_output", "nearest_larger_than_most"};
constexpr NumberName kLargerAtLeastBias{"tied_output", "nearest_larger_at_least_bias"};
constexpr NumberName kAbove{"tied_output", "nearest_above"};
constexpr NumberName kSpreadOfNorms{"tied_output", "spread_of_norms"};
constexpr NumberName kSpreadOfRawNorms{"tied_output", "spread_of_raw_norms"};
constexpr NumberName kSpreadOfBias{"tied_output", "spread_of_bias"};

/// How much meets the rows.
struct Size {
  size_t texts = 60;
  size_t vectors = 300;
};
constexpr Size kFull{};
constexpr Size kQuick{.texts = 12, .vectors = 60};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"mostly", 100 * kMostly}, {"larger", 100 * kLarger}};
}

/// What is read off one vector.
using Of = double (*)(const Nearest&);

template <bool Nearest::*which>
double is(const Nearest& one) {
  return one.*which ? 1 : 0;
}
double above(const Nearest& one) {
  return one.fraction_below;
}
double above_most(const Nearest& one) {
  return one.fraction_below >= kLarger ? 1 : 0;
}

double mean_of(const std::vector<Nearest>& found, Of of) {
  double sum = 0;
  for (const auto& one : found) sum += of(one);
  return found.empty() ? 0 : sum / static_cast<double>(found.size());
}

/// The head's vectors of masked tokens, which the decoder multiplies its rows with.
struct Vectors {
  Table rows;                 ///< [vectors, hidden]
  std::vector<size_t> texts;  ///< [vectors], ascending

  /// Each text's vectors, by their numbers.
  [[nodiscard]] std::vector<std::vector<size_t>> by_text() const {
    std::vector<std::vector<size_t>> all;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (i == 0 || texts[i] != texts[i - 1]) all.emplace_back();
      all.back().push_back(i);
    }
    return all;
  }
};

Vectors chosen_states(const Subject& subject, const model::Batch& batch, const std::vector<size_t>& tokens,
                      const std::vector<size_t>& text_of) {
  const std::vector<size_t> last{static_cast<size_t>(subject.model->config().num_hidden_layers)};
  const auto states = std::move(engine::hidden_states(subject.model->engine(), batch, last).front());
  Vectors vectors{.rows = Table(static_cast<Index>(tokens.size()), static_cast<Index>(states.columns())), .texts = {}};
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto row = states.row(tokens[i]);
    for (size_t column = 0; column < row.size(); ++column) {
      vectors.rows(static_cast<Index>(i), static_cast<Index>(column)) = double{row[column]};
    }
    vectors.texts.push_back(text_of[tokens[i]]);
  }
  return vectors;
}

Vectors vectors_of(const Subject& subject, const PredictionHead& head, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "tied output: texts");
  const Texts texts = texts_of(subject, {.most = size_of(conditions).texts, .longest = 64}, stream);
  const MaskedTexts masked = mask_texts(subject, texts, stream);
  std::vector<size_t> tokens = masked.masked;
  tokens.resize(std::min(tokens.size(), size_of(conditions).vectors));
  if (tokens.empty()) return {};
  auto vectors = chosen_states(subject, masked.batch, tokens, texts.text);
  vectors.rows = head.transformed(vectors.rows);
  return vectors;
}

Interval interval_of(const std::vector<Nearest>& found, Of of, const Vectors& vectors, const Conditions& conditions) {
  const auto by_text = vectors.by_text();
  return bootstrap(by_text.size(),
                   [&](std::span<const size_t> chosen) {
                     std::vector<Nearest> drawn;
                     for (const size_t text : chosen) {
                       for (const size_t i : by_text[text]) drawn.push_back(found[i]);
                     }
                     return mean_of(drawn, of);
                   },
                   {.seed = conditions.seed, .name = "tied output: bootstrap", .count = 500});
}

/// Own rows, rows of widely spread norms, rows of one norm without bias.
std::vector<DecoderRows> sets_of(const Table& rows, const Vector& bias, Origin origin, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "tied output: null");
  const Vector one = Vector::Ones(rows.rows());
  Vector spread(rows.rows());
  for (double& factor : spread) factor = std::exp(kSpreadOfNull * stream.normal());
  std::vector<DecoderRows> sets;
  sets.push_back({.rows = rows, .scale = one, .bias = bias, .origin = origin});
  sets.push_back({.rows = rows, .scale = spread, .bias = bias, .origin = origin});
  const Vector norms = sets.front().norms();
  sets.push_back({.rows = rows, .scale = norms.cwiseMax(1e-12).cwiseInverse(), .bias = 0 * bias, .origin = origin});
  return sets;
}

/// Removes the rows' component along 1/scale and moves it to the bias. Logits stay equal, because x · (1/scale) is the
/// same for every vector x that the normalisation returns.
/// @return the head unchanged if a scale is 0
PredictionHead without_common_direction(PredictionHead head) {
  if ((head.norm.weight.array() == 0).any()) return head;
  const Vector inverse = head.norm.weight.cwiseInverse();
  const Vector direction = inverse / inverse.norm();
  const Vector along = head.rows * direction;
  head.bias += along * head.norm.bias.dot(direction);
  head.rows -= along * direction.transpose();
  return head;
}

/// Moves as much of the bias as possible into a constant vector added to all inputs, as the head's normalisation could
/// do itself. The logits stay equal.
struct LeastBias {
  Vectors vectors;
  Vector bias;
};

LeastBias with_least_bias(const Vectors& vectors, const PredictionHead& head) {
  const Table rows = centred(head.rows);
  const Vector bias = head.bias.array() - head.bias.mean();
  // Along a direction that no row has, nothing is added.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> squares(Eigen::MatrixXd(rows.transpose() * rows));
  const Vector sizes = squares.eigenvalues();
  Vector along = squares.eigenvectors().transpose() * (rows.transpose() * bias);
  for (Index i = 0; i < sizes.size(); ++i) along(i) = sizes(i) > kNoSize * sizes.maxCoeff() ? along(i) / sizes(i) : 0;
  const Vector added = squares.eigenvectors() * along;
  return {.vectors = {.rows = vectors.rows.rowwise() + added.transpose(), .texts = vectors.texts},
          .bias = head.bias - head.rows * added};
}

OutputRates measure_nearest(const Vectors& vectors, const PredictionHead& as_it_lies, const Conditions& conditions,
                            Numbers& numbers) {
  const PredictionHead head = without_common_direction(as_it_lies);
  auto sets = sets_of(head.rows, head.bias, Origin::centred, conditions);
  auto found = nearest_rows(vectors.rows, sets);
  const auto raw_sets = sets_of(as_it_lies.rows, as_it_lies.bias, Origin::raw, conditions);
  std::ranges::move(nearest_rows(vectors.rows, raw_sets), std::back_inserter(found));
  std::ranges::copy(raw_sets, std::back_inserter(sets));
  constexpr size_t kSpreadSet = 1;
  constexpr size_t kEqualSet = 2;
  constexpr size_t kRawSets = 3;
  const LocalizedText of_spread = localize("tied_output.beside.spread_rows");
  const LocalizedText of_equal = localize("tied_output.beside.equal_rows");
  const auto measure = [](const char* member) {
    return FormatArgs{{"measure", localize(std::string("tied_output.measures.") + member)}};
  };
  const auto theorem = [&](const char* member, Of of) {
    numbers.add(NumberBuilder(kAtEqualNorms, member, mean_of(found[kEqualSet], of), measure(member))
                    .null(mean_of(found[kSpreadSet], of), of_spread)
                    .control(1, localize("tied_output.beside.cauchy_schwarz")));
  };
  theorem(kCosine, is<&Nearest::cosine>);
  theorem(kDistance, is<&Nearest::distance>);
  const auto number = [&](NumberBuilder one, Of of, size_t first) {
    numbers.add(one.interval(interval_of(found[first], of, vectors, conditions))
                    .null(mean_of(found[first + kSpreadSet], of), of_spread)
                    .control(mean_of(found[first + kEqualSet], of), of_equal));
  };
  number(NumberBuilder(kLargerThanMost, mean_of(found[0], above_most), settings()), above_most, 0);
  number(NumberBuilder(kAbove, mean_of(found[0], above)), above, 0);
  const auto least = with_least_bias(vectors, head);
  const auto found_least =
      nearest_rows(least.vectors.rows, sets_of(head.rows, least.bias, Origin::centred, conditions));
  numbers.add(NumberBuilder(kLargerAtLeastBias, mean_of(found_least[0], above_most), settings())
                  .interval(interval_of(found_least[0], above_most, least.vectors, conditions))
                  .null(mean_of(found_least[kSpreadSet], above_most), of_spread)
                  .control(mean_of(found_least[kEqualSet], above_most), of_equal));
  OutputRates shown;
  const auto add = [&](const char* member, Of of, size_t first) {
    number(NumberBuilder(kNearest, member, mean_of(found[first], of), measure(member)), of, first);
    shown.push_back({localize(std::string("tied_output.measures.") + member), mean_of(found[first], of),
                     mean_of(found[first + kSpreadSet], of), mean_of(found[first + kEqualSet], of)});
  };
  add(kCosineCentred, is<&Nearest::cosine>, 0);
  add(kDistanceCentred, is<&Nearest::distance>, 0);
  add(kCosineWithoutBias, is<&Nearest::cosine_without_bias>, 0);
  add(kDistanceWithoutBias, is<&Nearest::distance_without_bias>, 0);
  add(kCosine, is<&Nearest::cosine>, kRawSets);
  add(kDistance, is<&Nearest::distance>, kRawSets);
  const auto spread = [](const DecoderRows& set) {
    const Vector norms = set.norms();
    return standard_deviation(elements(norms)) / mean(elements(norms));
  };
  for (const size_t first : {size_t{0}, kRawSets}) {
    const NumberAdder add_spread(numbers, sets[first], {sets[first + kSpreadSet], of_spread},
                                 {sets[first + kEqualSet], of_equal});
    add_spread(first == 0 ? kSpreadOfNorms : kSpreadOfRawNorms, spread);
  }
  numbers.add(NumberBuilder(kSpreadOfBias, standard_deviation(elements(as_it_lies.bias)) /
                                               std::max(1e-300, deviation_of_logits(vectors.rows, as_it_lies.rows)))
                  .null(1, localize("tied_output.beside.uneven_bias"))
                  .control(0, localize("tied_output.beside.no_bias")));
  return shown;
}

/// Why nothing can be said of a tied output's winner.
std::optional<LocalizedText> lacks_tied_output(const Subject& subject, const std::optional<PredictionHead>& head) {
  if (!head) return localize("tied_output.gaps.no_head");
  if (head->decoder != model::Decoder::tied) return localize("tied_output.gaps.own_decoder");
  return lacks_masked_language(subject);
}

Findings run_tied_output(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model || subject.tokens.rows() == 0) {
    for (const char* claim : {"Q6", "Q6b"}) findings.gaps[claim] = localize("tied_output.gaps.no_table");
    return findings;
  }
  const auto head = prediction_head(subject);
  Numbers& numbers = findings.numbers["Q6"];
  count_parameters(subject, head, numbers);
  const OutputCost cost = output_cost(subject.model->config());
  count_operations(cost, numbers);
  count_pieces(subject, conditions, findings);
  conditions.progress(0.2);
  if (const auto lacking = lacks_tied_output(subject, head)) {
    findings.gaps["Q6b"] = *lacking;
  } else if (const Vectors vectors = vectors_of(subject, *head, conditions);
             const auto few = too_few(vectors.by_text().size(), texts_with_a_word())) {
    findings.gaps["Q6b"] = *few;
  } else {
    findings.figures.push_back(rates_figure(measure_nearest(vectors, *head, conditions, findings.numbers["Q6b"])));
    findings.remarks.push_back(localize("tied_output.remarks.rows"));
    if (conditions.quick) {
      findings.left_out.push_back(localize("tied_output.left_out", {{"few_vectors", kQuick.vectors},
                                                                    {"few_texts", kQuick.texts},
                                                                    {"many_vectors", kFull.vectors},
                                                                    {"many_texts", kFull.texts}}));
    }
  }
  findings.figures.push_back(cost_figure(cost));
  findings.remarks.push_back(localize("tied_output.remarks.pieces"));
  conditions.progress(1);
  return findings;
}

Verdict judge_sharing(const Numbers& numbers) {
  const Number* shared = find_number(numbers, kDecoderShared);
  const double share = numbers.value(kSavedShare);
  Verdict verdict;
  if (shared == nullptr || shared->null->value > kMostRows) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = shared->value == 1 && share > 0 ? Observation::holds : Observation::fails;
  }
  if (shared != nullptr)
    verdict.number = deciding_number({{kDecoderShared, shared->value == 1}, {kSavedShare, share > 0}});
  FormatArgs measured{{"saved", numbers.value(kSavedMillions)}, {"share", 100 * share}};
  if (shared == nullptr) {
    verdict.reason = localize("tied_output.reason.no_decoder", measured);
    return verdict;
  }
  measured.emplace_back("shared", 100 * shared->value);
  verdict.reason = localize("tied_output.reason.sharing", measured);
  return verdict;
}

Verdict judge_nearest(const Numbers& numbers) {
  const Number& cosine = numbers.at(kAtEqualNorms.of(kCosine));
  const Number& distance = numbers.at(kAtEqualNorms.of(kDistance));
  Verdict verdict;
  if (cosine.null->value >= kMostly && distance.null->value >= kMostly) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = cosine.value == 1 && distance.value == 1 ? Observation::holds : Observation::fails;
  }
  verdict.number = deciding_number({{cosine.name, cosine.value == 1}, {distance.name, distance.value == 1}});
  const Number& least_bias = numbers.at(kLargerAtLeastBias);
  if (verdict.observation == Observation::fails || least_bias.interval->high < kMostly) {
    verdict.inference = Inference::does_not_follow;
  } else if (verdict.observation == Observation::holds && least_bias.interval->low >= kMostly) {
    verdict.inference = Inference::follows;
  }
  verdict.reason =
      localize("tied_output.reason.nearest_rows", {{"equal_cosine", 100 * cosine.value},
                                                   {"equal_distance", 100 * distance.value},
                                                   {"larger", 100 * kLarger},
                                                   {"share", 100 * least_bias.value},
                                                   {"low", 100 * least_bias.interval->low},
                                                   {"high", 100 * least_bias.interval->high},
                                                   {"cosine", 100 * numbers.value(kNearest.of(kCosineCentred))},
                                                   {"distance", 100 * numbers.value(kNearest.of(kDistanceCentred))},
                                                   {"raw_cosine", 100 * numbers.value(kNearest.of(kCosine))},
                                                   {"raw_distance", 100 * numbers.value(kNearest.of(kDistance))},
                                                   {"spread", numbers.value(kSpreadOfNorms)},
                                                   {"bias", numbers.value(kSpreadOfBias)}});
  return verdict;
}

LocalizedText answer_tied_output(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("Q6")) return gap_answer(findings.gaps.at("Q6"));
  const Numbers& sharing = findings.numbers.at("Q6");
  const bool has_decoder = find_number(sharing, kDecoderShared) != nullptr;
  const double saved = sharing.value(kSavedMillions);
  LocalizedText nearest_rows;
  if (findings.numbers.contains("Q6b")) {
    const Numbers& nearest = findings.numbers.at("Q6b");
    nearest_rows =
        localize("tied_output.answer.nearest_rows", {{"equal", 100 * nearest.value(kAtEqualNorms.of(kCosine))},
                                                     {"cosine", 100 * nearest.value(kNearest.of(kCosineCentred))},
                                                     {"above", 100 * nearest.value(kAbove)}});
  }
  const FormatArgs measured{{"saved", saved}, {"nearest", nearest_rows}};
  if (!has_decoder) return localize("tied_output.answer.no_decoder", measured);
  return saved > 0 ? localize("tied_output.answer.tied", measured) : localize("tied_output.answer.own", measured);
}

}  // namespace
}  // namespace tied_output

Experiment tied_output_experiment() {
  using namespace tied_output;
  Experiment experiment = described_experiment("tied_output", settings());
  experiment.effort = 1;
  experiment.needs_positions = false;
  experiment.rules = {
      described_rule("tied_output", "Q6", judge_sharing, settings()),
      described_rule("tied_output", "Q6b", judge_nearest, settings(), {.kind = Kind::algebra, .claim = "Q6b"})};
  experiment.run = run_tied_output;
  experiment.answer = answer_tied_output;
  return experiment;
}

}  // namespace summand::lab
