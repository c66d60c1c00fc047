// E2: do large values lie at early positions, and does padding explain it?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/compared.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/change_point.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace tails {
namespace {

constexpr double kSigmaOfBert = 0.02;
constexpr double kSigmas = 2;
constexpr double kMuchMore = 1.5;
constexpr double kLevel = 0.01;
constexpr size_t kBlockRows = 8;  // rows that are permuted together: neighbours resemble each other
constexpr double kPlanted = 2;

constexpr NumberName kRatio{"tails", "early_to_late"};
constexpr NumberName kEarly{"tails", "early"};
constexpr NumberName kLate{"tails", "late"};
constexpr NumberName kPEarly{"tails", "p_early"};
constexpr NumberName kPlace{"tails", "place"};
constexpr NumberName kPChangeThere{"tails", "p_change_there"};
constexpr NumberName kBestChange{"tails", "best_change"};
constexpr NumberName kPBestChange{"tails", "p_best_change"};

/// How much is drawn.
struct Size {
  size_t permutations = 5000;
  size_t orders = 11;
};
constexpr Size kFull{};
constexpr Size kQuick{.permutations = 500, .orders = 3};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
Fills settings() {
  return {{"short", kShortSequence}, {"sigmas", kSigmas}, {"much", kMuchMore}, {"level", kLevel}};
}

/// Of each row the fraction of entries beyond the threshold.
std::vector<double> tails_of(const Table& table, double threshold) {
  std::vector<double> fractions;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    fractions.push_back(tail_fraction({table.row(row).data(), static_cast<size_t>(table.cols())}, threshold));
  }
  return fractions;
}

struct Halves {
  double early = 0;
  double late = 0;
  [[nodiscard]] double ratio() const { return late > 0 ? early / late : early > 0 ? 1e3 : 1; }
};

/// Means below and from the place where short sequences end; of a shorter table, of its halves.
Halves halves_of(const std::vector<double>& tails, size_t place) {
  const std::span<const double> all(tails);
  return {.early = mean(all.first(place)), .late = mean(all.subspan(place))};
}

/// How much the early fraction exceeds the late one in tables of the same rows in another order.
double p_of_ratio(const std::vector<double>& tails, size_t place, const Draws& draws) {
  const double observed = halves_of(tails, place).ratio();
  const auto null = drawn(draws, [&](RandomStream& stream) {
    const size_t blocks = (tails.size() + kBlockRows - 1) / kBlockRows;
    std::vector<size_t> order(blocks);
    for (size_t i = 0; i < blocks; ++i) order[i] = i;
    stream.shuffle(std::span(order));
    std::vector<double> shuffled;
    for (const size_t block : order) {
      for (size_t row = block * kBlockRows; row < std::min(tails.size(), (block + 1) * kBlockRows); ++row) {
        shuffled.push_back(tails[row]);
      }
    }
    return halves_of(shuffled, place).ratio();
  });
  return permutation_p(observed, null, Tail::greater);
}

/// What is measured of one table's fractions.
struct Measures {
  std::vector<double> fractions;
  Halves halves;
  double p_early = 1;
  ChangePoint there;  ///< where short sequences end
  ChangePoint best;   ///< wherever it is largest
};

Measures measures_of(const Table& table, double threshold, size_t place, const Draws& draws) {
  constexpr ChangeSettings kSettings{.margin = kBlockRows, .block = kBlockRows};
  Measures result{.fractions = tails_of(table, threshold),
                  .halves = {},
                  .p_early = 1,
                  .there = {.place = place},
                  .best = {.place = place}};
  result.halves = halves_of(result.fractions, place);
  // Doubled rows may have as many as the others: nothing changes.
  if (standard_deviation(result.fractions) == 0) return result;
  result.p_early = p_of_ratio(result.fractions, place, draws);
  result.there = change_at(result.fractions, place, kSettings, draws);
  result.best = best_change_point(result.fractions, kSettings, draws);
  return result;
}

Compared<Measures> compared(const Table& table, double threshold, size_t place, const Conditions& conditions) {
  const Draws draws{.seed = conditions.seed,
                    .name = "tails: permutation",
                    .count = size_of(conditions).permutations,
                    .threads = conditions.threads};
  const size_t shuffles = size_of(conditions).orders;
  // In random order, or the table's own late rows may outweigh what is planted.
  RandomStream order(conditions.seed, "tails: control");
  Table planted = row_shuffled(table, order);
  planted.topRows(static_cast<Eigen::Index>(place)) *= kPlanted;
  Compared<Measures> result{.own = measures_of(table, threshold, place, draws),
                            .nulls = {},
                            .control = measures_of(planted, threshold, place, draws),
                            .of_null = median_of_draws(wording("tails.beside.shuffled"), shuffles),
                            .of_control = wording("tails.beside.doubled")};
  for (size_t i = 0; i < shuffles; ++i) {
    RandomStream stream(conditions.seed, fmt::format("tails: rows shuffled {}", i));
    result.nulls.push_back(measures_of(row_shuffled(table, stream), threshold, place, draws));
    conditions.progress(static_cast<double>(i + 1) / static_cast<double>(shuffles + 1));
  }
  return result;
}

Numbers numbers_of(const Compared<Measures>& tails) {
  Numbers numbers;
  const auto add = [&](const NumberName& name, const auto& of) { numbers.add(tails.number(name, of, settings())); };
  add(kRatio, [](const Measures& one) { return one.halves.ratio(); });
  add(kEarly, [](const Measures& one) { return one.halves.early; });
  add(kLate, [](const Measures& one) { return one.halves.late; });
  add(kPEarly, [](const Measures& one) { return one.p_early; });
  const auto place = static_cast<double>(tails.own.there.place);
  const Words fixed = wording("tails.beside.fixed");
  numbers.add(Measured(kPlace, place).null(place, fixed).control(place, fixed));
  add(kPChangeThere, [](const Measures& one) { return one.there.p; });
  add(kBestChange, [](const Measures& one) { return static_cast<double>(one.best.place); });
  add(kPBestChange, [](const Measures& one) { return one.best.p; });
  return numbers;
}

std::vector<double> positions_of(size_t count) {
  std::vector<double> positions(count);
  for (size_t i = 0; i < count; ++i) positions[i] = static_cast<double>(i);
  return positions;
}

Figure ternary_map(const Table& table, double threshold) {
  const auto text = [](const char* name) {
    return wording(std::string("tails.figures.tails-map.") + name, settings());
  };
  MatrixData matrix{.rows = static_cast<size_t>(table.rows()),
                    .columns = static_cast<size_t>(table.cols()),
                    .values = {},
                    .row_label = text("row"),
                    .column_label = text("column"),
                    .value_label = text("value"),
                    .low = -kSigmas,
                    .high = kSigmas,
                    .scale = MatrixData::Scale::ternary};
  for (const double value : std::span(table.data(), static_cast<size_t>(table.size()))) {
    matrix.values.push_back(static_cast<float>(kSigmas * value / threshold));
  }
  return {.name = "tails-map",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

Figure tails_curve(const std::vector<double>& tails, size_t place, const ChangePoint& best) {
  using namespace chart;
  const auto early = static_cast<double>(place);
  const auto change = static_cast<double>(best.place);
  const auto text = [](const char* name, Fills fills = settings()) {
    return wording(std::string("tails.figures.tails-by-position.") + name, fills);
  };
  return {.name = "tails-by-position",
          .title = text("title"),
          .caption = text("caption"),
          .specification =
              layers({mark({{"type", "line"}, {"strokeWidth", 1.5}},
                           {{"x", whole("position", text("position"))}, {"y", number("fraction", text("fraction"))}}),
                      rule("x", early), rule("x", change), rule_label("x", early, text("early", {{"place", place}})),
                      rule_label("x", change, text("change", {{"place", best.place}}), 16)}),
          .data = FigureData{{{"position", positions_of(tails.size())}, {"fraction", tails}}}};
}

Findings run_tails(const Subject& subject, const Conditions& conditions) {
  const double sigma = subject.model ? subject.model->config().initializer_range : kSigmaOfBert;
  const double threshold = kSigmas * sigma;
  const Table& table = subject.positions;
  Findings findings;
  if (table.rows() < 2 * kLeastPart) {
    findings.gaps["E2"] = wording("tails.gaps.few_positions", {{"least", 2 * kLeastPart}, {"positions", table.rows()}});
    return findings;
  }
  const bool has_128 = table.rows() >= kShortSequence + kLeastPart;
  const auto place = static_cast<size_t>(has_128 ? kShortSequence : table.rows() / 2);
  const auto fractions = tails_of(table, threshold);
  if (std::ranges::min(fractions) == std::ranges::max(fractions)) {
    findings.gaps["E2"] = wording("tails.gaps.all_alike");
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(
        wording("tails.left_out", {{"few", kQuick.permutations},
                                   {"many", fmt::format("{}", fmt::group_digits(kFull.permutations))},
                                   {"few_orders", kQuick.orders},
                                   {"many_orders", kFull.orders}}));
  }
  const auto tails = compared(table, threshold, place, conditions);
  findings.numbers["E2"] = numbers_of(tails);
  findings.figures.push_back(tails_curve(tails.own.fractions, place, tails.own.best));
  findings.figures.push_back(ternary_map(table, threshold));
  conditions.progress(1);
  return findings;
}

Verdict judge_tails(const Numbers& numbers) {
  const double ratio = numbers.value(kRatio);
  const double p = numbers.value(kPEarly);
  const bool told_apart = numbers.null(kRatio) < kMuchMore && numbers.control(kRatio) >= kMuchMore;
  Verdict verdict;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (ratio >= kMuchMore && p < kLevel) {
    verdict.observation = Observation::holds;
  } else if (ratio <= 1) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  verdict.inference = verdict.observation == Observation::fails ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason =
      wording("tails.reason", {{"early", numbers.value(kEarly)}, {"late", numbers.value(kLate)}, {"ratio", ratio}});
  return verdict;
}

Words answer_tails(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E2")) return findings.gaps.at("E2");
  const auto seen = verdicts.at("E2").observation;
  const char* verdict = seen == Observation::holds   ? "tails.verdicts.holds"
                        : seen == Observation::fails ? "tails.verdicts.fails"
                                                     : "tails.verdicts.cannot_be_told";
  return wording("tails.answer", {{"verdict", wording(verdict)}, {"ratio", findings.numbers.at("E2").value(kRatio)}});
}

}  // namespace
}  // namespace tails

Experiment tails_experiment() {
  using namespace tails;
  Experiment experiment = described_experiment("tails", settings());
  experiment.rules = {described_rule("tails", "E2", judge_tails, settings())};
  experiment.run = run_tails;
  experiment.answer = answer_tails;
  return experiment;
}

}  // namespace summand::lab
