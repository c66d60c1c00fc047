#include "lab/experiments/toeplitz/toeplitz_measured.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/core/wording.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace toeplitz {
namespace {

constexpr NumberName kOneSided{"toeplitz", "measured_one_sided"};

/// How much of the model's own H is taken.
struct MeasuredSize {
  size_t components = 8;
  size_t texts = 12;
  size_t draws = 11;  // of Gaussian tables
};
constexpr MeasuredSize kMeasuredFull{};
constexpr MeasuredSize kMeasuredQuick{.components = 8, .texts = 3, .draws = 11};
constexpr size_t kResamplings = 1000;

/// Of one text and one function, with the model's H: what distance tells of the pairs' numbers, and how large they are.
struct Energies {
  double told = 0;
  double pairs = 0;
  double odd = 0;  ///< of what changes its sign when m and n are exchanged
  double all = 0;
};

double energy_of(const PairTable& pairs) {
  const auto n = static_cast<double>(pairs.values.rows());
  const double mean = pairs.values.sum() / (n * (n - 1));  // the diagonal is 0
  return pairs.values.squaredNorm() - n * (n - 1) * mean * mean;
}

/// Of the components' scores under H. Functions and texts weigh as much as they have energy.
Energies energies_of(const PlacedRows& scores, const Table& h) {
  const PairTable pairs = squared_distances(scores, h);
  const Table odd = scores.rows * ((h - h.transpose()) / 2) * scores.rows.transpose();
  const Table even = scores.rows * ((h + h.transpose()) / 2) * scores.rows.transpose();
  Energies energies;
  energies.pairs = energy_of(pairs);
  energies.told = energies.pairs * share_by_distance(pairs);
  energies.odd = odd.squaredNorm();
  energies.all = odd.squaredNorm() + even.squaredNorm() - even.diagonal().squaredNorm();
  return energies;
}

/// [texts][functions].
using Grid = std::vector<std::vector<Energies>>;

double told_share(const Energies& sum) {
  return sum.pairs > 0 ? sum.told / sum.pairs : 0;
}
double odd_share(const Energies& sum) {
  return sum.all > 0 ? sum.odd / sum.all : 0;
}

/// Over some texts and some functions, which may repeat.
Energies sum_of(const Grid& grid, const std::vector<size_t>& texts, const std::vector<size_t>& functions) {
  Energies sum;
  for (const size_t t : texts) {
    for (const size_t f : functions) {
      const Energies& one = grid[t][f];
      sum.told += one.told;
      sum.pairs += one.pairs;
      sum.odd += one.odd;
      sum.all += one.all;
    }
  }
  return sum;
}

std::vector<size_t> counted(size_t count) {
  std::vector<size_t> list(count);
  for (size_t i = 0; i < count; ++i) list[i] = i;
  return list;
}

Energies whole(const Grid& grid) {
  return sum_of(grid, counted(grid.size()), counted(grid.front().size()));
}

/// Percentile bootstrap over texts and functions, both drawn with replacement.
Interval interval_of(const Grid& grid, double (*share)(const Energies&), const Conditions& conditions) {
  const auto values =
      drawn({.seed = conditions.seed, .name = "toeplitz: texts and functions", .count = kResamplings, .threads = 1},
            [&](RandomStream& stream) {
              const auto resampled = [&](size_t count) {
                std::vector<size_t> list(count);
                for (auto& one : list) one = stream.below(count);
                return list;
              };
              const auto texts = resampled(grid.size());
              return share(sum_of(grid, texts, resampled(grid.front().size())));
            });
  return middle_95_percent(values);
}

/// Every H of every text, along the first components of the table.
using Forms = std::vector<std::vector<Table>>;  // [texts][functions]

Grid grid_of(const PlacedRows& scores, const Forms& forms) {
  Grid grid;
  for (const auto& text : forms) {
    auto& row = grid.emplace_back();
    for (const auto& h : text) row.push_back(energies_of(scores, h));
  }
  return grid;
}

/// Shares of P·H·Pᵀ, functions and texts weighing as much as they have energy off the diagonal.
ToeplitzHankel shares_of(const PlacedRows& scores, const Forms& forms, const ToeplitzHankelFit& fit) {
  ToeplitzHankel sum;
  double weight = 0;
  for (const auto& text : forms) {
    for (const auto& h : text) {
      const Table even = scores.rows * ((h + h.transpose()) / 2) * scores.rows.transpose();
      const double own = even.squaredNorm() - even.diagonal().squaredNorm();
      if (own <= 0) continue;
      const auto shares = fit.shares(even);
      sum.toeplitz += own * shares.toeplitz;
      sum.hankel += own * shares.hankel;
      sum.shared += own * shares.shared;
      sum.rest += own * shares.rest;
      weight += own;
    }
  }
  if (weight <= 0) return {};
  return {sum.toeplitz / weight, sum.hankel / weight, sum.shared / weight, sum.rest / weight};
}

/// The first components of Gaussian tables with the same lag kernel.
std::vector<PlacedRows> gaussian_scores(const PlacedRows& rows, Eigen::Index components, size_t draws,
                                        const Conditions& conditions) {
  const SameKernelTables tables(rows);
  std::vector<PlacedRows> scores(draws);
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, "toeplitz: components " + std::to_string(i));
    const PlacedRows drawn = tables.draw(SameKernel::gaussian, stream);
    scores[i] = {.rows = principal_components(drawn.rows, static_cast<size_t>(components)).scores, .at = rows.at};
  });
  return scores;
}

}  // namespace
}  // namespace toeplitz

std::optional<MeasuredShares> measured_shares(const Subject& subject, const PlacedRows& rows,
                                              const ToeplitzHankelFit& fit, const Conditions& conditions) {
  using namespace toeplitz;
  if (lacks_interaction(subject, kPairTokens)) return {};
  const MeasuredSize size = conditions.quick ? kMeasuredQuick : kMeasuredFull;
  const auto components = principal_components(rows.rows, size.components);
  const PlacedRows scores{.rows = components.scores, .at = rows.at};
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(size.texts, kPairTokens);
  std::vector<DirectedText> directed;
  for (const auto& text : texts) {
    directed.push_back({.text = text,
                        .first = steps_along(components.loadings, kPairPlaces[0]),
                        .second = steps_along(components.loadings, kPairPlaces[1])});
  }
  Forms forms;
  for (auto& one : interaction.derivatives(directed)) forms.push_back(std::move(one.mixed));
  if (forms.empty()) return {};
  const Grid own = grid_of(scores, forms);
  if (whole(own).pairs <= 0) return {};
  const auto drawn = gaussian_scores(rows, scores.rows.cols(), size.draws, conditions);
  std::vector<Energies> beside(drawn.size());
  run_tasks(conditions, drawn.size(), [&](size_t i) { beside[i] = whole(grid_of(drawn[i], forms)); });
  const auto share_of = [&](double (*share)(const Energies&)) {
    std::vector<double> values;
    for (const auto& one : beside) values.push_back(share(one));
    return MeasuredShare{.own = share(whole(own)),
                         .interval = interval_of(own, share, conditions),
                         .gaussian = median(values),
                         .gaussians = middle_95_percent(values)};
  };
  return MeasuredShares{.by_distance = share_of(told_share),
                        .one_sided = share_of(odd_share),
                        .own = shares_of(scores, forms, fit),
                        .gaussian = shares_of(drawn.front(), forms, fit),
                        .variance = components.shares.head(scores.rows.cols()).sum(),
                        .components = static_cast<size_t>(scores.rows.cols()),
                        .texts = forms.size(),
                        .draws = drawn.size()};
}

void add_measured(const MeasuredShares& measured, const Subject& subject, const Conditions& conditions,
                  Findings& findings) {
  using namespace toeplitz;
  Numbers& numbers = findings.numbers["4.5"];
  const Words of_null = wording("toeplitz.beside.measured", {{"draws", measured.draws}});
  const Words of_control = wording("toeplitz.beside.sinusoid_pairs");
  const auto add = [&](const NumberName& name, const MeasuredShare& share, double control) {
    numbers.add(Measured(name, share.own, {{"texts", measured.texts}})
                    .interval(share.interval)
                    .null(share.gaussian, of_null, share.gaussians)
                    .control(control, of_control));
  };
  add(kMeasured, measured.by_distance, 1);
  add(kOneSided, measured.one_sided, 0);
  const auto texts = static_cast<double>(measured.texts);
  numbers.add(Measured(kMeasuredTexts, texts)
                  .null(texts, of_null)
                  .control(static_cast<double>(kMeasuredFull.texts), wording("toeplitz.beside.full_run")));
  if (conditions.quick) {
    findings.left_out.push_back(wording("toeplitz.left_out.measured",
                                        {{"few_texts", kMeasuredQuick.texts}, {"many_texts", kMeasuredFull.texts}}));
  }
  const bool has_loss = !lacks_masked_language(subject);
  findings.remarks.push_back(
      wording("toeplitz.remarks.measured", {{"first", kPairPlaces[0] + 1},
                                            {"second", kPairPlaces[1] + 1},
                                            {"directions", Interaction::kDirections},
                                            {"loss", has_loss ? wording("toeplitz.remarks.loss") : Words{}},
                                            {"components", measured.components},
                                            {"percent", 100 * measured.variance}}));
}

}  // namespace summand::lab
