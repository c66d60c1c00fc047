// Section 2.7 of the ledger's notes: what the first layer's attention makes of positions alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/identical_words/attention_metrics.hpp"
#include "lab/experiments/identical_words/position_attention.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace identical_words {
namespace {

constexpr size_t kMostRepeated = 128;
constexpr size_t kLeastRepeated = 8;
constexpr double kTinyNoise = 1e-6;  // standard deviations
constexpr double kUnitNoise = 1;
constexpr std::array kMainMetrics{kToeplitz, kSymmetry, kMonotonicity, kPublishedSymmetry};
constexpr size_t kProductDraws = 5;
// Before the names of metrics.
constexpr const char* kTinyPrefix = "tiny_noise_";
constexpr const char* kUnitPrefix = "unit_noise_";

constexpr NumberName kProductsToeplitz{"identical_words", "products_toeplitz"};
constexpr NumberName kProductsMonotonicity{"identical_words", "products_monotonicity"};

/// How much is drawn.
struct Size {
  size_t words = 200;
  size_t fewer_words = 20;  ///< of null and control
  size_t draws = 5;
  size_t resamplings = 100;
};
constexpr Size kFull{};
constexpr Size kQuick{.words = 20, .fewer_words = 5, .draws = 2, .resamplings = 20};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// As long and as far from 0 as the table's rows, with its mean row.
Table fitted(const Table& drawn, const Table& table) {
  Table like = Table::Zero(table.rows(), table.cols());
  const Table around = centred(drawn);
  const double norm = std::max(around.norm(), 1e-30);
  like.leftCols(drawn.cols()) = around * (centred(table).norm() / norm);
  like.rowwise() += table.colwise().mean();
  return like;
}

/// What all runs of one experiment share.
struct Context {
  const Subject& subject;
  const Conditions& conditions;
  Table table;       ///< the first positions
  Repetition own;    ///< with [CLS] and [SEP]
  Repetition fewer;  ///< with fewer words

  [[nodiscard]] PositionAttention with_positions(const Table& positions, Around around = Around::special) const {
    auto model = changed_model(subject);
    model.replace_positions(fitted(positions, table));
    return position_attention(std::move(model), subject, around == Around::special ? fewer : bare());
  }
  [[nodiscard]] PositionAttention drawn(Surrogate surrogate, RandomStream& stream,
                                        Around around = Around::special) const {
    return with_positions(drawn_surrogate(surrogate, table, stream), around);
  }
  [[nodiscard]] Repetition bare() const {
    Repetition alone = fewer;
    alone.around = Around::nothing;
    return alone;
  }
  [[nodiscard]] Draws draws(Surrogate surrogate) const {
    return {
        .seed = conditions.seed, .name = "identical words: " + name_of(surrogate), .count = size_of(conditions).draws};
  }
};

/// Null and control of every number, under the same names.
struct NullAndControl {
  ReferenceNumbers null;
  ReferenceNumbers control;
};

BareNumbers only_main(const BareNumbers& all, const std::string& prefix) {
  BareNumbers kept;
  for (const BareNumber& one : all) {
    const bool main =
        std::ranges::any_of(kMainMetrics, [&](const NumberName& metric) { return one.name == prefix + metric.name; });
    if (main) kept.push_back(one);
  }
  return kept;
}

BareNumbers renamed(BareNumbers all, const BareNumbers& names) {
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].name = names[i].name;
    all[i].label = names[i].label;
  }
  return all;
}

/// The main metrics of something else, with the same null and control.
void add_other(Numbers& numbers, const BareNumbers& all, const std::string& prefix, const NullAndControl& references) {
  const BareNumbers own = only_main(all, prefix);
  const BareNumbers null = renamed(only_main(references.null.numbers, ""), own);
  const BareNumbers control = renamed(only_main(references.control.numbers, ""), own);
  numbers.add(with_references(own, {references.null.of, null}, {references.control.of, control}));
}

/// Over the groups of words that were drawn.
Interval over_words(const PositionAttention& own, double (*metric)(const Table&), const Conditions& conditions) {
  return bootstrap(own.groups.size(),
                   [&](std::span<const size_t> chosen) {
                     Table sum = Table::Zero(own.groups.front().rows(), own.groups.front().cols());
                     for (const size_t group : chosen) sum += own.groups[group];
                     return metric(sum / static_cast<double>(chosen.size()));
                   },
                   {.seed = conditions.seed,
                    .name = "identical words: groups",
                    .count = size_of(conditions).resamplings,
                    .threads = thread_count(conditions)});
}

double monotonicity_of(const Table& attention) {
  return local_monotonicity(attention, kLocalWindow);
}

void add_intervals(const PositionAttention& own, const Conditions& conditions, std::vector<Number>& numbers) {
  for (Number& number : numbers) {
    if (number.name == kToeplitz.name) number.interval = over_words(own, distance_share, conditions);
    if (number.name == kSymmetry.name) number.interval = over_words(own, symmetry_share, conditions);
    if (number.name == kMonotonicity.name) number.interval = over_words(own, monotonicity_of, conditions);
  }
}

/// P·Pᵀ itself, rows centred.
BareNumbers bare_product_numbers(const Table& table) {
  const Table around = centred(table);
  const Table products = around * around.transpose();
  return {bare_number(kProductsToeplitz, distance_share(products)),
          bare_number(kProductsMonotonicity, monotonicity_of(products))};
}

void measure_products(const Table& table, const Conditions& conditions, Numbers& numbers) {
  const BareNumbers null =
      median_numbers({.seed = conditions.seed, .name = "identical words: products", .count = kProductDraws},
                     [&](RandomStream& stream) {
                       return bare_product_numbers(drawn_surrogate(Surrogate::white_noise, table, stream));
                     });
  numbers.add(with_references(bare_product_numbers(table),
                              {words_of_median(Surrogate::white_noise, kProductDraws), null},
                              {words_of_sinusoid(), bare_product_numbers(sinusoid_like(table))}));
}

struct Curve {
  chart::Series series;
  Table attention;  ///< heads averaged
};

Figure curves_figure(const std::vector<Curve>& curves) {
  using namespace chart;
  constexpr Index kFar = 24;
  const auto text = [](const char* name) {
    return localize(std::string("identical_words.figures.identical-words-distance.") + name);
  };
  std::vector<double> offset;
  std::vector<double> weight;
  std::vector<LocalizedText> of;
  std::vector<Series> series;
  for (const Curve& curve : curves) {
    series.push_back(curve.series);
    const Index n = curve.attention.rows();
    const Index far = std::min(kFar, n - 2);
    for (Index d = -far; d <= far; ++d) {
      offset.push_back(static_cast<double>(d));
      weight.push_back(curve.attention.diagonal(d).mean() * static_cast<double>(n));
      of.push_back(curve.series.words);
    }
  }
  return {.name = "identical-words-distance",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers({mark({{"type", "line"}}, of_lines({{"x", whole("offset", text("offset"))},
                                                                      {"y", number("weight", text("weight"))}},
                                                                     "of", text("of"), series)),
                                   rule("y", 1)}),
          .data = FigureData{{{"offset", offset}, {"weight", weight}, {"of", of}}}};
}

Figure matrix_figure(const Table& attention) {
  const auto text = [](const char* name) {
    return localize(std::string("identical_words.figures.identical-words-matrix.") + name);
  };
  const Table even = attention * static_cast<double>(attention.cols());
  std::vector<double> cells(even.data(), even.data() + even.size());
  MatrixData matrix{.rows = static_cast<size_t>(even.rows()),
                    .columns = static_cast<size_t>(even.cols()),
                    .values = {cells.begin(), cells.end()},
                    .row_label = text("row"),
                    .column_label = text("column"),
                    .value_label = text("weight"),
                    .low = 0,
                    .high = quantile(cells, 0.99),
                    .scale = MatrixData::Scale::sequential};
  return {.name = "identical-words-matrix",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

void measure_references(const Context& context, const NullAndControl& references, Numbers& numbers,
                        std::vector<Curve>& curves) {
  const size_t heads = static_cast<size_t>(context.subject.model->config().num_attention_heads);
  const auto length = static_cast<Index>(context.own.length);
  for (const Surrogate surrogate : {Surrogate::random_walk, Surrogate::gaussian_process}) {
    const std::string prefix = name_of(surrogate) + "_";
    add_other(numbers,
              median_numbers(context.draws(surrogate),
                             [&](RandomStream& stream) {
                               return bare_numbers_of(context.drawn(surrogate, stream), prefix, words_of(surrogate));
                             }),
              prefix, references);
  }
  RandomStream walk(context.conditions.seed, "identical words: random_walk 0");
  curves.push_back({series_of(Surrogate::random_walk), context.drawn(Surrogate::random_walk, walk).mean_attention()});
  const PositionAttention sine = context.with_positions(sinusoid_like(context.table));
  add_other(numbers, bare_numbers_of(sine, "sinusoid_", localize("identical_words.sinusoid")), "sinusoid_", references);
  curves.push_back({series_of_sinusoid(), sine.mean_attention()});
  RandomStream stream(context.conditions.seed, "identical words: noisy logits");
  for (const auto& [prefix, size] : {std::pair{kTinyPrefix, kTinyNoise}, std::pair{kUnitPrefix, kUnitNoise}}) {
    const LocalizedText of = localize("identical_words.noise", {{"size", size}});
    add_other(numbers, bare_numbers_of(noisy_attention(heads, length, size, stream), prefix, of), prefix, references);
  }
}

void measure_attention(const Context& context, Findings& findings) {
  Numbers& numbers = findings.numbers[kNoClaim];
  const auto& conditions = context.conditions;
  const PositionAttention own = position_attention(changed_model(context.subject), context.subject, context.own);
  conditions.progress(0.3);
  const Draws draws = context.draws(Surrogate::white_noise);
  const size_t heads = own.attention.size();
  const auto null_and_control = [&](Around around) {
    return NullAndControl{
        .null = {words_of_median(Surrogate::white_noise, draws.count),
                 median_numbers(draws,
                                [&](RandomStream& stream) {
                                  return bare_numbers_of(context.drawn(Surrogate::white_noise, stream, around), "", {});
                                })},
        .control = {localize("identical_words.falling"),
                    bare_numbers_of(falling_attention(heads, static_cast<Index>(context.own.length)), "", {})}};
  };
  const NullAndControl references = null_and_control(Around::special);
  auto main = with_references(bare_numbers_of(own, "", {}), references.null, references.control);
  if (const auto few = too_few(own.groups.size(), localize("identical_words.words_to_repeat"))) {
    findings.remarks.push_back(without_interval(*few));
  } else {
    add_intervals(own, conditions, main);
  }
  numbers.add(std::move(main));
  conditions.progress(0.5);
  add_other(numbers,
            bare_numbers_of(position_attention(changed_model(context.subject), context.subject, context.bare()),
                            "bare_", localize("identical_words.bare")),
            "bare_", null_and_control(Around::nothing));
  RandomStream white(conditions.seed, "identical words: white_noise 0");
  std::vector<Curve> curves{
      {series_of_table(), own.mean_attention()},
      {series_of(Surrogate::white_noise), context.drawn(Surrogate::white_noise, white).mean_attention()}};
  measure_references(context, references, numbers, curves);
  findings.figures = {matrix_figure(own.mean_attention()), curves_figure(curves)};
}

Findings run_identical_words(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  Numbers& numbers = findings.numbers[kNoClaim];
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const size_t length = std::min(kMostRepeated, rows < 2 ? 0 : rows - 2);
  if (length < kLeastRepeated) {
    findings.remarks.push_back(localize("identical_words.remarks.too_few", {{"rows", rows}}));
    return findings;
  }
  const Table table = subject.positions.topRows(static_cast<Index>(length + 2));
  if (subject.model && subject.model->config().num_hidden_layers < 1) {
    findings.remarks.push_back(localize("identical_words.remarks.no_layer"));
  } else if (subject.model) {
    RandomStream stream(conditions.seed, "identical words: words");
    Repetition own{.words = words_to_repeat(subject, size_of(conditions).words, stream), .length = length};
    if (own.words.empty()) {
      findings.remarks.push_back(localize("identical_words.remarks.no_words"));
    } else {
      Repetition fewer = own;
      fewer.words.resize(std::min(own.words.size(), size_of(conditions).fewer_words));
      measure_attention({subject, conditions, table, own, fewer}, findings);
    }
    if (conditions.quick) {
      findings.left_out.push_back(localize("identical_words.left_out", {{"few_words", kQuick.words},
                                                                        {"many_words", kFull.words},
                                                                        {"few_draws", kQuick.draws},
                                                                        {"many_draws", kFull.draws},
                                                                        {"few_beside", kQuick.fewer_words},
                                                                        {"many_beside", kFull.fewer_words},
                                                                        {"few_resamplings", kQuick.resamplings},
                                                                        {"many_resamplings", kFull.resamplings}}));
    }
  } else {
    findings.remarks.push_back(localize("identical_words.remarks.table_alone"));
  }
  measure_products(table.middleRows(1, static_cast<Index>(length)), conditions, numbers);
  const auto symmetry = [&](const char* prefix) {
    return find_number(numbers, prefix + std::string(kPublishedSymmetry));
  };
  if (const Number* tiny = symmetry(kTinyPrefix)) {
    findings.remarks.push_back(localize("identical_words.remarks.published", {{"length", length},
                                                                              {"tiny_size", kTinyNoise},
                                                                              {"tiny", tiny->value},
                                                                              {"unit_size", kUnitNoise},
                                                                              {"unit", symmetry(kUnitPrefix)->value}}));
  }
  findings.remarks.push_back(localize("identical_words.remarks.left_free"));
  conditions.progress(1);
  return findings;
}

// Of the attention's variance, by distance: what the answer calls mostly, and hardly.
constexpr double kMostly = 0.8;
constexpr double kHardly = 0.2;

LocalizedText answer_identical_words(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (!findings.numbers.contains(kNoClaim)) return gap_answer(findings.remarks.front());
  const Numbers& numbers = findings.numbers.at(kNoClaim);
  const auto has = [&](const NumberName& name) { return find_number(numbers, name) != nullptr; };
  if (has(kToeplitz)) {
    const double by_distance = numbers.value(kToeplitz);
    const char* lead = by_distance >= kMostly  ? "identical_words.lead.yes"
                       : by_distance < kHardly ? "identical_words.lead.no"
                                               : "identical_words.lead.in_part";
    return localize("identical_words.answer", {{"lead", localize(lead)},
                                               {"toeplitz", 100 * by_distance},
                                               {"null_toeplitz", 100 * numbers.null(kToeplitz)},
                                               {"symmetry", numbers.value(kSymmetry)},
                                               {"null_symmetry", numbers.null(kSymmetry)},
                                               {"monotonicity", numbers.value(kMonotonicity)},
                                               {"null_monotonicity", numbers.null(kMonotonicity)}});
  }
  if (!has(kProductsToeplitz)) return gap_answer(findings.remarks.front());
  return localize("identical_words.answer_table_alone", {{"toeplitz", 100 * numbers.value(kProductsToeplitz)},
                                                         {"null_toeplitz", 100 * numbers.null(kProductsToeplitz)}});
}

}  // namespace
}  // namespace identical_words

Experiment identical_words_experiment() {
  using namespace identical_words;
  Experiment experiment = described_experiment("identical_words", {{"window", kLocalWindow}});
  experiment.effort = 6;
  experiment.run = run_identical_words;
  experiment.answer = answer_identical_words;
  return experiment;
}

}  // namespace summand::lab
