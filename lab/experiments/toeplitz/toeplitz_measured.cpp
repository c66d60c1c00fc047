#include "lab/experiments/toeplitz/toeplitz_measured.hpp"

#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/wording.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace toeplitz {
namespace {

constexpr NumberName kMeasuredHankel{"toeplitz", "measured_hankel"};
constexpr NumberName kMeasuredShared{"toeplitz", "measured_shared"};
constexpr NumberName kMeasuredRest{"toeplitz", "measured_rest"};
constexpr NumberName kMeasuredOneSided{"toeplitz", "measured_one_sided"};

/// How much of the model's own H is taken.
struct MeasuredSize {
  size_t components = 16;
  size_t texts = 2;
};
constexpr MeasuredSize kMeasuredFull{};
constexpr MeasuredSize kMeasuredQuick{.components = 8, .texts = 1};

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
}  // namespace toeplitz

std::optional<MeasuredShares> measured_shares(const Subject& subject, const Table& table,
                                              const Conditions& conditions) {
  using namespace toeplitz;
  if (lacks_interaction(subject, kPairTokens)) return {};
  const MeasuredSize size = conditions.quick ? kMeasuredQuick : kMeasuredFull;
  const auto components = principal_components(table, size.components);
  RandomStream stream(conditions.seed, "toeplitz: walk along components");
  Table walk = centred(random_walk(
      {.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(components.scores.cols())}, stream));
  walk = walk * (column_deviations(components.scores).cwiseQuotient(column_deviations(walk))).asDiagonal();
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(size.texts, kPairTokens);
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
  using namespace toeplitz;
  Numbers& numbers = findings.numbers["4.5"];
  const Words of_null = wording("toeplitz.beside.walk");
  const Words of_control = wording("toeplitz.beside.sinusoid_pairs");
  const auto add = [&](const NumberName& name, double ToeplitzHankel::*of) {
    numbers.add(Measured(name, measured.own.*of).null(measured.walk.*of, of_null).control(control.*of, of_control));
  };
  add(kMeasuredToeplitz, &ToeplitzHankel::toeplitz);
  add(kMeasuredHankel, &ToeplitzHankel::hankel);
  add(kMeasuredShared, &ToeplitzHankel::shared);
  add(kMeasuredRest, &ToeplitzHankel::rest);
  numbers.add(
      Measured(kMeasuredOneSided, measured.one_sided).null(measured.one_sided_walk, of_null).control(0, of_control));
  if (conditions.quick) {
    findings.left_out.push_back(wording("toeplitz.left_out.measured", {{"few_components", kMeasuredQuick.components},
                                                                       {"few_texts", kMeasuredQuick.texts},
                                                                       {"many_components", kMeasuredFull.components},
                                                                       {"many_texts", kMeasuredFull.texts}}));
  }
  const bool has_loss = !lacks_masked_language(subject);
  findings.remarks.push_back(
      wording("toeplitz.remarks.measured", {{"first", kPairPlaces[0]},
                                            {"second", kPairPlaces[1]},
                                            {"directions", Interaction::kDirections},
                                            {"loss", has_loss ? wording("toeplitz.remarks.loss") : Words{}},
                                            {"components", measured.components},
                                            {"percent", 100 * measured.variance}}));
}

}  // namespace summand::lab
