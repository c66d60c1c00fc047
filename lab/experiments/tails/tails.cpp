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

namespace {

constexpr double kSigmaOfBert = 0.02;
constexpr double kSigmas = 2;
constexpr double kMuchMore = 1.5;
constexpr double kLevel = 0.01;
constexpr size_t kBlockRows = 8;  // rows that are permuted together: neighbours resemble each other
constexpr double kPlanted = 2;

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
                    .count = conditions.quick ? 500U : 5000U,
                    .threads = conditions.threads};
  const size_t shuffles = conditions.quick ? 3 : 11;
  // In random order, or the table's own late rows may outweigh what is planted.
  RandomStream order(conditions.seed, "tails: control");
  Table planted = row_shuffled(table, order);
  planted.topRows(static_cast<Eigen::Index>(place)) *= kPlanted;
  Compared<Measures> result{.own = measures_of(table, threshold, place, draws),
                            .nulls = {},
                            .control = measures_of(planted, threshold, place, draws),
                            .of_null = median_of_draws({"rows in random order", "行序打乱"}, shuffles),
                            .of_control = {"random order, early rows doubled", "行序打乱，前段加倍"}};
  for (size_t i = 0; i < shuffles; ++i) {
    RandomStream stream(conditions.seed, fmt::format("tails: rows shuffled {}", i));
    result.nulls.push_back(measures_of(row_shuffled(table, stream), threshold, place, draws));
    conditions.progress(static_cast<double>(i + 1) / static_cast<double>(shuffles + 1));
  }
  return result;
}

Numbers numbers_of(const Compared<Measures>& tails) {
  Numbers numbers;
  const auto add = [&](const char* name, Words label, const auto& of) {
    numbers.add(tails.number(name, std::move(label), of));
  };
  add("early_to_late", {"fraction beyond 2σ: early over late", "超出 2σ 的比例：前段与后段之比"},
      [](const Measures& one) { return one.halves.ratio(); });
  add("early", {"fraction beyond 2σ, early positions", "前段超出 2σ 的比例"},
      [](const Measures& one) { return one.halves.early; });
  add("late", {"fraction beyond 2σ, late positions", "后段超出 2σ 的比例"},
      [](const Measures& one) { return one.halves.late; });
  add("p_early", {"p of so large a ratio, blocks of rows permuted", "该比值的置换 p 值（按行块置换）"},
      [](const Measures& one) { return one.p_early; });
  const auto place = static_cast<double>(tails.own.there.place);
  const Words fixed{"the same, set beforehand", "相同，事先规定"};
  numbers.add(Measured("place", {"early ends before position", "前段终于位置"}, place)
                  .null(place, fixed)
                  .control(place, fixed));
  add("p_change_there", {"p of a change of the mean there", "该处均值变化的 p 值"},
      [](const Measures& one) { return one.there.p; });
  add("best_change", {"position of the largest change of the mean", "均值变化最大的位置"},
      [](const Measures& one) { return static_cast<double>(one.best.place); });
  add("p_best_change", {"its p, the search included", "其 p 值（计入搜索）"},
      [](const Measures& one) { return one.best.p; });
  return numbers;
}

std::vector<double> positions_of(size_t count) {
  std::vector<double> positions(count);
  for (size_t i = 0; i < count; ++i) positions[i] = static_cast<double>(i);
  return positions;
}

Figure ternary_map(const Table& table, double threshold) {
  MatrixData matrix{.rows = static_cast<size_t>(table.rows()),
                    .columns = static_cast<size_t>(table.cols()),
                    .values = {},
                    .row_label = {"position", "位置"},
                    .column_label = {"coordinate", "维度"},
                    .value_label = {"value, in σ", "数值（以 σ 计）"},
                    .low = -kSigmas,
                    .high = kSigmas,
                    .scale = MatrixData::Scale::ternary};
  for (const double value : std::span(table.data(), static_cast<size_t>(table.size()))) {
    matrix.values.push_back(static_cast<float>(kSigmas * value / threshold));
  }
  return {.name = "tails-map",
          .title = {"Values beyond two σ", "超出两个 σ 的数值"},
          .caption = {"Three colours, above 2σ, below −2σ and between, as document 002 drew it; σ is that of the "
                      "initialisation.",
                      "分三色：大于 2σ、小于 −2σ、其间，与文档 002 的画法相同；σ 为初始化的标准差。"},
          .specification = {},
          .data = std::move(matrix)};
}

Figure tails_curve(const std::vector<double>& tails, size_t place, const ChangePoint& best) {
  using namespace chart;
  const auto early = static_cast<double>(place);
  const auto change = static_cast<double>(best.place);
  const Words of_change{fmt::format("largest change: {}", best.place), fmt::format("变化最大处：{}", best.place)};
  return {.name = "tails-by-position",
          .title = {"Fraction of values beyond two σ, by position", "各位置超出两个 σ 的比例"},
          .caption =
              {"Vertical lines: where short training sequences end, and where the mean changes most. A step there "
               "would show two trainings; single rows that stand out do not.",
               "竖线：短训练序列的终点，以及均值变化最大处。若在此处有台阶，则看得出两段训练；个别突出的行说明不了。"},
          .specification = layers(
              {mark({{"type", "line"}, {"strokeWidth", 1.5}},
                    {{"x", whole("position", {"position", "位置"})},
                     {"y", number("fraction", {"fraction beyond 2σ", "超出 2σ 的比例"})}}),
               rule("x", early), rule("x", change),
               rule_label("x", early, {fmt::format("early ends: {}", place), fmt::format("前段终点：{}", place)}),
               rule_label("x", change, of_change, 16)}),
          .data = FigureData{{{"position", positions_of(tails.size())}, {"fraction", tails}}}};
}

Findings run_tails(const Subject& subject, const Conditions& conditions) {
  const double sigma = subject.model ? subject.model->config().initializer_range : kSigmaOfBert;
  const double threshold = kSigmas * sigma;
  const Table& table = subject.positions;
  Findings findings;
  if (table.rows() < 2 * kLeastPart) {
    findings.gaps["E2"] = {
        fmt::format("needs a table of at least {} positions, this one has {}", 2 * kLeastPart, table.rows()),
        fmt::format("需要至少 {} 个位置，此表只有 {} 个", 2 * kLeastPart, table.rows())};
    return findings;
  }
  const bool has_128 = table.rows() >= kShortSequence + kLeastPart;
  const auto place = static_cast<size_t>(has_128 ? kShortSequence : table.rows() / 2);
  const auto fractions = tails_of(table, threshold);
  if (std::ranges::min(fractions) == std::ranges::max(fractions)) {
    findings.gaps["E2"] = {"every row has as many values beyond two σ: there is nothing to compare",
                           "每行超出两个 σ 的数值一样多：无从比较"};
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back({"500 permutations instead of 5,000, of 3 random orders instead of 11",
                                 "500 次置换而非 5,000 次，乱序 3 次而非 11 次"});
  }
  const auto tails = compared(table, threshold, place, conditions);
  findings.numbers["E2"] = numbers_of(tails);
  findings.figures.push_back(tails_curve(tails.own.fractions, place, tails.own.best));
  findings.figures.push_back(ternary_map(table, threshold));
  conditions.progress(1);
  return findings;
}

Verdict judge_tails(const Numbers& numbers) {
  const double ratio = numbers.value("early_to_late");
  const double p = numbers.value("p_early");
  const bool told_apart = numbers.null("early_to_late") < kMuchMore && numbers.control("early_to_late") >= kMuchMore;
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
  verdict.reason = {
      fmt::format("{:.3f} of the values lie beyond two σ at early positions, {:.3f} at late ones: {:.2f} times as many",
                  numbers.value("early"), numbers.value("late"), ratio),
      fmt::format("前段有 {:.3f} 的数值超出两个 σ，后段为 {:.3f}：前者是后者的 {:.2f} 倍", numbers.value("early"),
                  numbers.value("late"), ratio)};
  return verdict;
}

Words answer_tails(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E2")) return findings.gaps.at("E2");
  const bool holds = verdicts.at("E2").observation == Observation::holds;
  const bool fails = verdicts.at("E2").observation == Observation::fails;
  const Numbers& numbers = findings.numbers.at("E2");
  return {fmt::format("{} {}. Whether padding, the schedule of sequence lengths or where sequences end makes the "
                      "difference, a finished table cannot say: that needs training under each.",
                      holds   ? "Yes."
                      : fails ? "No, rather the reverse."
                              : "Not clearly.",
                      "Early over late is " + fmt::format("{:.2f}", numbers.value("early_to_late"))),
          fmt::format("{}前段与后段之比为 "
                      "{:.2f}。差别来自填充、序列长度安排还是序列终点，训练好的表回答不了：需要在各种条件下重新训练。",
                      holds   ? "是。"
                      : fails ? "不是，恰好相反。"
                              : "不明显。",
                      numbers.value("early_to_late"))};
}

}  // namespace

Experiment tails_experiment() {
  return {
      .name = "tails",
      .title = {"Its large values", "它的大数值"},
      .question = {"Do the values beyond two σ lie at early positions?", "超出两个 σ 的数值集中在靠前的位置吗？"},
      .definition = {"The fraction of each row's entries beyond twice the initial σ; its mean below position 128 over "
                     "its mean from there on; a permutation test in blocks of eight rows; the place where the mean "
                     "changes most, and the change at 128.",
                     "每行超出初始 σ 两倍的元素比例；位置 128 之前的均值与之后的均值之比；以 8 "
                     "行为块的置换检验；均值变化最大处，以及 128 "
                     "处的变化。"},
      .source = {"document 002; change points: Hawkins 1977", "文档 002；变点：Hawkins 1977"},
      .null = {"the same rows in random order", "同样的行，次序打乱"},
      .control = {"rows in random order, the early ones doubled", "行序打乱后，前段各行加倍"},
      .rules = {{.claim = "E2",
                 .observation = {"holds if the early fraction is at least 1.5 times the late one with p < .01; fails "
                                 "if it is no larger; otherwise, or if the null reaches 1.5 or the control does not, "
                                 "it cannot be told",
                                 "前段比例至少为后段的 1.5 倍且 p < .01 "
                                 "则成立；不大于后段则不成立；其余情形，或零假设达到 1.5、对照达不到时，无法判断"},
                 .inference = {"that padding is the reason does not follow if there is no such difference; if there "
                               "is, it was not tested: that needs training with and without padding",
                               "若没有这种差别，则“与 [PAD] 有关”推不出；若有，则未检验：需要有填充与无填充的训练"},
                 .judge = judge_tails}},
      .run = run_tails,
      .answer = answer_tails};
}

}  // namespace summand::lab
