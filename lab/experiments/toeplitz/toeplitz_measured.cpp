#include "lab/experiments/toeplitz/toeplitz_measured.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/toeplitz/common_axes.hpp"
#include "lab/experiments/toeplitz/form_energies.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/principal_components.hpp"

namespace summand::lab::toeplitz {

namespace {

using Eigen::Index;

constexpr Index kLaidColumns = 8;  // of the sinusoid that is laid into the axes: four waves

Index even_at_most(Index columns) {
  return columns - columns % 2;
}

Forms own_forms(const Interaction& interaction, const std::vector<ExpandedText>& texts, const Table& loadings) {
  std::vector<DirectedText> directed;
  for (const auto& text : texts) {
    directed.push_back({.text = text,
                        .first = steps_along(loadings, kPairPlaces[0]),
                        .second = steps_along(loadings, kPairPlaces[1])});
  }
  Forms forms;
  for (auto& one : interaction.derivatives(directed)) forms.push_back(std::move(one.mixed));
  return forms;
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

/// The first components of other rows, in the place of as many of the table's. @return [kept, count]
PlacedRows components_of(const PlacedRows& of, Index count) {
  const Table scores = principal_components(of.rows, static_cast<size_t>(count)).scores;
  PlacedRows components{.rows = Table::Zero(scores.rows(), count), .at = of.at};
  components.rows.leftCols(scores.cols()) = scores;
  return components;
}

/// Gaussian tables with the same lag kernel. @param name  of the draws' streams
std::vector<PlacedRows> gaussians_like(const PlacedRows& rows, const std::string& name, const Conditions& conditions) {
  const SameKernelTables tables(rows);
  std::vector<PlacedRows> drawn(kDraws);
  run_tasks(conditions, kDraws, [&](size_t i) {
    RandomStream stream(conditions.seed, "toeplitz: " + name + " " + std::to_string(i));
    drawn[i] = tables.draw(SameKernel::gaussian, stream);
  });
  return drawn;
}

std::vector<Energies> wholes(const std::vector<PlacedRows>& tables, const Forms& forms, const Conditions& conditions) {
  std::vector<Energies> energies(tables.size());
  run_tasks(conditions, tables.size(), [&](size_t i) { energies[i] = whole(grid_of(tables[i], forms)); });
  return energies;
}

UnderOwnForms under_own_forms(const Grid& own, const std::vector<Energies>& gaussians, const Conditions& conditions) {
  const auto share_of = [&](double (*share)(const Energies&)) {
    std::vector<double> values;
    for (const auto& one : gaussians) values.push_back(share(one));
    return MeasuredShare{.own = share(whole(own)),
                         .interval = interval_of(own, share, conditions),
                         .gaussians = median_estimate(values)};
  };
  return {.by_distance = share_of(told_share), .one_sided = share_of(odd_share)};
}

/// The sinusoid at the rows' positions. @param columns  even
PlacedRows sinusoid_at(const std::vector<size_t>& at, Index columns) {
  const Table all = sinusoid({.rows = at.back() + 1, .columns = static_cast<size_t>(columns)});
  PlacedRows kept{.rows = Table(static_cast<Index>(at.size()), columns), .at = at};
  for (size_t i = 0; i < at.size(); ++i) kept.rows.row(static_cast<Index>(i)) = all.row(static_cast<Index>(at[i]));
  return kept;
}

}  // namespace

bool has_own_forms(const Subject& subject) {
  return !lacks_interaction(subject, kPairTokens);
}

std::optional<MeasuredShares> measured_shares(const Subject& subject, const PlacedRows& rows,
                                              const ToeplitzHankelFit& fit, const Conditions& conditions) {
  if (conditions.quick) return {};
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(kTexts, kPairTokens);
  if (texts.size() < kLeastTexts) return {};
  const auto components = principal_components(rows.rows, kComponents);
  const Index count = components.scores.cols();
  const double variance = components.shares.head(count).sum();
  if (variance < kLeastVariance) return {};
  const Forms forms = own_forms(interaction, texts, components.loadings);
  const PlacedRows scores{.rows = components.scores, .at = rows.at};
  const Grid own = grid_of(scores, forms);
  if (whole(own).pairs <= 0) return {};

  auto gaussians = gaussians_like(rows, "Gaussian tables", conditions);
  for (auto& one : gaussians) one = components_of(one, count);
  const auto of_gaussians = wholes(gaussians, forms, conditions);
  const PlacedRows plain = components_of(sinusoid_at(rows.at, even_at_most(rows.rows.cols())), count);

  const PlacedRows waves = sinusoid_at(rows.at, even_at_most(std::min(count, kLaidColumns)));
  const Forms laid = along_common_axes(forms, static_cast<size_t>(waves.rows.cols()));
  const auto of_waves = wholes(gaussians_like(waves, "Gaussian waves", conditions), laid, conditions);
  return MeasuredShares{.table = under_own_forms(own, of_gaussians, conditions),
                        .plain = under_own_forms(grid_of(plain, forms), of_gaussians, conditions),
                        .laid = under_own_forms(grid_of(waves, laid), of_waves, conditions),
                        .own = shares_of(scores, forms, fit),
                        .gaussian = shares_of(gaussians.front(), forms, fit),
                        .variance = variance,
                        .components = static_cast<size_t>(count),
                        .texts = forms.size()};
}

}  // namespace summand::lab::toeplitz
