#include "lab/experiments/toeplitz/toeplitz_measured.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Scores times H times scores, functions weighing as much as they have energy off the diagonal.
struct WeightedShares {
  ToeplitzHankel sum;
  double one_sided = 0;
  double weight = 0;
  double energy = 0;

  void add(const Table& scores, const Table& h) {
    const Table products = scores * h * scores.transpose();
    const Table even = (products + products.transpose()) / 2;
    const Table odd = (products - products.transpose()) / 2;
    const double own = even.squaredNorm() - even.diagonal().squaredNorm();
    const auto shares = toeplitz_hankel(even);
    sum.toeplitz += own * shares.toeplitz;
    sum.hankel += own * shares.hankel;
    sum.shared += own * shares.shared;
    sum.rest += own * shares.rest;
    weight += own;
    one_sided += odd.squaredNorm();
    energy += own + odd.squaredNorm();
  }
  [[nodiscard]] ToeplitzHankel shares() const {
    return {sum.toeplitz / weight, sum.hankel / weight, sum.shared / weight, sum.rest / weight};
  }
};

}  // namespace

std::optional<MeasuredShares> measured_shares(const Subject& subject, const Table& table,
                                              const Conditions& conditions) {
  if (lacks_interaction(subject, kPairTokens)) return {};
  const auto components = principal_components(table, conditions.quick ? 8 : 16);
  RandomStream stream(conditions.seed, "toeplitz: walk along components");
  Table walk = centred(random_walk(
      {.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(components.scores.cols())}, stream));
  walk = walk * (column_deviations(components.scores).cwiseQuotient(column_deviations(walk))).asDiagonal();
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(conditions.quick ? 1 : 2, kPairTokens);
  WeightedShares own;
  WeightedShares beside;
  for (const auto& text : texts) {
    const auto first = steps_along(components.loadings, kPairPlaces[0]);
    const auto second = steps_along(components.loadings, kPairPlaces[1]);
    for (const auto& h : interaction.derivatives(text, first, second).mixed) {
      own.add(components.scores, h);
      beside.add(walk, h);
    }
  }
  if (own.weight <= 0 || beside.weight <= 0) return {};
  return MeasuredShares{.own = own.shares(),
                        .walk = beside.shares(),
                        .one_sided = own.one_sided / own.energy,
                        .one_sided_walk = beside.one_sided / beside.energy,
                        .variance = components.shares.sum(),
                        .components = static_cast<size_t>(components.scores.cols())};
}

void add_measured(const MeasuredShares& measured, const ToeplitzHankel& control, const Subject& subject,
                  const Conditions& conditions, Findings& findings) {
  Numbers& numbers = findings.numbers["4.5"];
  const Words of_null{"a random walk with the same H", "随机游走，同一个 H"};
  const Words of_control{"sinusoid, entries of each pair equal", "正弦编码，每对元素相等"};
  const auto add = [&](const char* name, const Words& label, double ToeplitzHankel::*of) {
    numbers.add(
        Measured(name, label, measured.own.*of).null(measured.walk.*of, of_null).control(control.*of, of_control));
  };
  add(kMeasuredToeplitz, {"P·H·Pᵀ with the model's own H: m − n alone", "P·H·Pᵀ，取模型自己的 H：仅 m − n"},
      &ToeplitzHankel::toeplitz);
  add("measured_hankel", {"the same: m + n alone", "同上：仅 m + n"}, &ToeplitzHankel::hankel);
  add("measured_shared", {"the same: either", "同上：任一"}, &ToeplitzHankel::shared);
  add("measured_rest", {"the same: neither", "同上：两者之外"}, &ToeplitzHankel::rest);
  numbers.add(
      Measured("measured_one_sided",
               {"share of its energy that changes sign when m and n are exchanged", "交换 m 与 n 时变号的能量占比"},
               measured.one_sided)
          .null(measured.one_sided_walk, of_null)
          .control(0, of_control));
  if (conditions.quick) {
    findings.left_out.push_back({"the model's own H along 8 components in 1 text instead of 16 in 2",
                                 "模型自己的 H：1 条文本、8 个主成分，而非 2 条、16 个"});
  }
  const bool has_loss = !lacks_masked_language(subject);
  findings.remarks.push_back(
      {fmt::format("The model's own H is ∂²f/∂x_m∂x_n between tokens 3 and 6 of a text, at the sum with mean position "
                   "rows, exact by dual numbers, f along 16 random directions of the mean output{}; taken along {} "
                   "components of the table, which hold {:.0f} % of its variance. Its part that changes sign when m "
                   "and n are exchanged is shown apart.",
                   has_loss ? " and the loss of a masked token" : "", measured.components, 100 * measured.variance),
       fmt::format(
           "模型自己的 H 为 ∂²f/∂x_m∂x_n：取文本中第 3 与第 6 个词元，在位置行取均值的和处，由对偶数精确求得，f 为平均"
           "输出在 16 个随机方向上的投影{}；沿表的 {} 个主成分计算，它们占其方差的 {:.0f}%。交换 m 与 n 时变号的部分"
           "另列。",
           has_loss ? "以及一个掩码词元的损失" : "", measured.components, 100 * measured.variance)});
}

}  // namespace summand::lab
