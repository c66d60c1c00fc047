// Q6 and Q6b: is the output tied to the token table, what does that save, and does the nearest row win?
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/found.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/wording.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/tied_output/nearest_rows.hpp"
#include "lab/experiments/tied_output/output_counts.hpp"
#include "lab/experiments/tied_output/output_figures.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace tied_output {
namespace {

using Eigen::Index;

constexpr double kMostly = 0.9;        // of vectors: "the nearest row gets the largest probability"
constexpr double kMostRows = 0.5;      // that equal the next token's: rows hardly differ
constexpr double kSpreadOfNull = 1.0;  // standard deviation of the logarithm of a row's factor

constexpr NumberName kNearest{"tied_output", "nearest"};
// Its members.
constexpr const char* kCosine = "cosine";
constexpr const char* kDistance = "distance";
constexpr const char* kCosineWithoutBias = "cosine_without_bias";
constexpr const char* kDistanceWithoutBias = "distance_without_bias";
constexpr const char* kCosineCentred = "cosine_centred";
constexpr const char* kDistanceCentred = "distance_centred";
constexpr NumberName kSpreadOfNorms{"tied_output", "spread_of_norms"};
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
Fills settings() {
  return {{"mostly", 100 * kMostly}};
}

double rate(const std::vector<Nearest>& found, bool Nearest::*which) {
  return found.empty()
             ? 0
             : static_cast<double>(std::ranges::count(found, true, which)) / static_cast<double>(found.size());
}

/// Vectors that meet the rows: the head's, of masked tokens; without a head the last hidden states of ordinary tokens.
struct Vectors {
  Table rows;                 ///< [vectors, hidden]
  std::vector<size_t> texts;  ///< [vectors], ascending
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

Vectors vectors_of(const Subject& subject, const std::optional<PredictionHead>& head, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "tied output: texts");
  const Texts texts = texts_of(subject, {.most = size_of(conditions).texts, .longest = 64}, stream);
  const size_t most = size_of(conditions).vectors;
  std::vector<size_t> tokens;
  if (head && !lacks_masked_language(subject)) {
    const MaskedTexts masked = mask_texts(subject, texts, stream);
    tokens = masked.masked;
    tokens.resize(std::min(tokens.size(), most));
    if (tokens.empty()) return {};
    auto vectors = chosen_states(subject, masked.batch, tokens, texts.text);
    vectors.rows = head->transformed(vectors.rows);
    return vectors;
  }
  for (size_t t = 0; t < texts.special.size(); ++t) {
    if (!texts.special[t]) tokens.push_back(t);
  }
  stream.shuffle(std::span(tokens));
  tokens.resize(std::min(tokens.size(), most));
  std::ranges::sort(tokens);
  if (tokens.empty()) return {};
  return chosen_states(subject, texts.batch, tokens, texts.text);
}

Interval interval_of(const std::vector<Nearest>& found, bool Nearest::*which, const Vectors& vectors,
                     const Conditions& conditions) {
  std::vector<std::vector<size_t>> by_text;
  for (size_t i = 0; i < found.size(); ++i) {
    if (i == 0 || vectors.texts[i] != vectors.texts[i - 1]) by_text.emplace_back();
    by_text.back().push_back(i);
  }
  return bootstrap(by_text.size(),
                   [&](std::span<const size_t> chosen) {
                     std::vector<Nearest> drawn;
                     for (const size_t text : chosen) {
                       for (const size_t i : by_text[text]) drawn.push_back(found[i]);
                     }
                     return rate(drawn, which);
                   },
                   {.seed = conditions.seed, .name = "tied output: bootstrap", .count = 500});
}

/// Own rows, rows of widely spread norms, rows of one norm; each as they lie and seen from the mean row.
std::vector<DecoderRows> sets_of(const Table& rows, const Vector& bias, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "tied output: null");
  const Vector one = Vector::Ones(rows.rows());
  Vector spread(rows.rows());
  for (double& factor : spread) factor = std::exp(kSpreadOfNull * stream.normal());
  std::vector<DecoderRows> sets;
  for (const Origin origin : {Origin::raw, Origin::mean_row}) {
    sets.push_back({.rows = rows, .scale = one, .bias = bias, .origin = origin});
    sets.push_back({.rows = rows, .scale = spread, .bias = bias, .origin = origin});
    const Vector norms =
        sets.front().origin == origin ? sets.front().norms() : DecoderRows{rows, one, bias, origin}.norms();
    sets.push_back({.rows = rows, .scale = norms.cwiseMax(1e-12).cwiseInverse(), .bias = 0 * bias, .origin = origin});
  }
  return sets;
}

OutputRates measure_nearest(const Vectors& vectors, const Table& rows, const std::optional<PredictionHead>& head,
                            const Conditions& conditions, Numbers& numbers) {
  const Vector bias = head ? head->bias : Vector::Zero(rows.rows()).eval();
  const auto sets = sets_of(rows, bias, conditions);
  const auto found = nearest_rows(vectors.rows, sets);
  const Words of_spread = wording("tied_output.beside.spread_rows");
  const Words of_equal = wording("tied_output.beside.equal_rows");
  OutputRates shown;
  const auto add = [&](const char* member, bool Nearest::*which, Origin origin) {
    const size_t first = origin == Origin::raw ? 0 : 3;
    const double own = rate(found[first], which);
    const Words measure = wording(std::string("tied_output.measures.") + member);
    numbers.add(Measured(kNearest, member, own, {{"measure", measure}})
                    .interval(interval_of(found[first], which, vectors, conditions))
                    .null(rate(found[first + 1], which), of_spread)
                    .control(rate(found[first + 2], which), of_equal));
    shown.push_back({measure, own, rate(found[first + 1], which), rate(found[first + 2], which)});
  };
  add(kCosine, &Nearest::cosine, Origin::raw);
  add(kDistance, &Nearest::distance, Origin::raw);
  if (head) {
    add(kCosineWithoutBias, &Nearest::cosine_without_bias, Origin::raw);
    add(kDistanceWithoutBias, &Nearest::distance_without_bias, Origin::raw);
  }
  add(kCosineCentred, &Nearest::cosine, Origin::mean_row);
  add(kDistanceCentred, &Nearest::distance, Origin::mean_row);
  const auto spread = [](const DecoderRows& set) {
    const Vector norms = set.norms();
    return standard_deviation(elements(norms)) / mean(elements(norms));
  };
  numbers.add(
      Measured(kSpreadOfNorms, spread(sets[0])).null(spread(sets[1]), of_spread).control(spread(sets[2]), of_equal));
  if (head) {
    numbers.add(Measured(kSpreadOfBias,
                         standard_deviation(elements(bias)) / std::max(1e-300, deviation_of_logits(vectors.rows, rows)))
                    .null(1, wording("tied_output.beside.uneven_bias"))
                    .control(0, wording("tied_output.beside.no_bias")));
  }
  return shown;
}

Findings run_tied_output(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model || subject.tokens.rows() == 0) {
    for (const char* claim : {"Q6", "Q6b"}) findings.gaps[claim] = wording("tied_output.gaps.no_table");
    return findings;
  }
  const auto head = prediction_head(subject);
  Numbers& numbers = findings.numbers["Q6"];
  count_parameters(subject, head, numbers);
  const OutputCost cost = output_cost(subject.model->config());
  count_operations(cost, numbers);
  count_pieces(subject, conditions, numbers);
  conditions.progress(0.2);
  if (conditions.quick) {
    findings.left_out.push_back(wording("tied_output.left_out", {{"few_vectors", kQuick.vectors},
                                                                 {"few_texts", kQuick.texts},
                                                                 {"many_vectors", kFull.vectors},
                                                                 {"many_texts", kFull.texts}}));
  }
  const Table& rows = head ? head->rows : subject.tokens;
  const Vectors vectors =
      rows.cols() == subject.model->config().hidden_size ? vectors_of(subject, head, conditions) : Vectors{};
  if (vectors.rows.rows() == 0) {
    findings.gaps["Q6b"] = wording("tied_output.gaps.no_tokens");
  } else {
    findings.figures.push_back(rates_figure(measure_nearest(vectors, rows, head, conditions, findings.numbers["Q6b"])));
  }
  findings.figures.push_back(cost_figure(cost));
  if (!head) findings.remarks.push_back(wording("tied_output.remarks.no_head"));
  findings.remarks.push_back(wording("tied_output.remarks.origins"));
  conditions.progress(1);
  return findings;
}

Verdict judge_sharing(const Numbers& numbers) {
  const Number* shared = found(numbers, kDecoderShared);
  const double share = numbers.value(kSavedShare);
  Verdict verdict;
  if (shared == nullptr || shared->null->value > kMostRows) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = shared->value == 1 && share > 0 ? Observation::holds : Observation::fails;
  }
  Fills measured{{"saved", numbers.value(kSavedMillions)}, {"share", 100 * share}};
  if (shared == nullptr) {
    verdict.reason = wording("tied_output.reason.no_decoder", measured);
    return verdict;
  }
  measured.emplace_back("shared", 100 * shared->value);
  verdict.reason = wording("tied_output.reason.sharing", measured);
  return verdict;
}

Verdict judge_nearest(const Numbers& numbers) {
  const Number& cosine = numbers.at(kNearest.of(kCosine));
  const Number& distance = numbers.at(kNearest.of(kDistance));
  Verdict verdict;
  const bool told_apart = cosine.control->value == 1 && distance.control->value == 1 && cosine.null->value < kMostly &&
                          distance.null->value < kMostly;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (cosine.interval->low >= kMostly && distance.interval->low >= kMostly) {
    verdict.observation = Observation::holds;
  } else if (cosine.interval->high < kMostly || distance.interval->high < kMostly) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::holds) verdict.inference = Inference::follows;
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = wording("tied_output.reason.nearest_rows",
                           {{"cosine", 100 * cosine.value},
                            {"distance", 100 * distance.value},
                            {"cosine_centred", 100 * numbers.value(kNearest.of(kCosineCentred))},
                            {"distance_centred", 100 * numbers.value(kNearest.of(kDistanceCentred))},
                            {"spread", numbers.value(kSpreadOfNorms)}});
  return verdict;
}

Words answer_tied_output(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("Q6")) return findings.gaps.at("Q6");
  const Numbers& sharing = findings.numbers.at("Q6");
  const bool has_decoder = found(sharing, kDecoderShared) != nullptr;
  const double saved = sharing.value(kSavedMillions);
  Words nearest_rows;
  if (findings.numbers.contains("Q6b")) {
    const Numbers& nearest = findings.numbers.at("Q6b");
    const Words vectors =
        has_decoder ? wording("tied_output.answer.head_vectors") : wording("tied_output.answer.last_states");
    nearest_rows =
        wording("tied_output.answer.nearest_rows", {{"vectors", vectors},
                                                    {"cosine", 100 * nearest.value(kNearest.of(kCosine))},
                                                    {"distance", 100 * nearest.value(kNearest.of(kDistance))}});
  }
  const Fills measured{{"saved", saved}, {"nearest", nearest_rows}};
  if (!has_decoder) return wording("tied_output.answer.no_decoder", measured);
  return saved > 0 ? wording("tied_output.answer.tied", measured) : wording("tied_output.answer.own", measured);
}

}  // namespace
}  // namespace tied_output

Experiment tied_output_experiment() {
  using namespace tied_output;
  Experiment experiment = described_experiment("tied_output", settings());
  experiment.effort = 6;
  experiment.rules = {described_rule("tied_output", "Q6", judge_sharing, settings()),
                      described_rule("tied_output", "Q6b", judge_nearest, settings())};
  experiment.run = run_tied_output;
  experiment.answer = answer_tied_output;
  return experiment;
}

}  // namespace summand::lab
