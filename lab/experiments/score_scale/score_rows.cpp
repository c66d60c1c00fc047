#include "lab/experiments/score_scale/score_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random_stream.hpp"
#include "lab/probing/balanced_maps.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/table_of.hpp"

namespace summand::lab {

using Eigen::Index;

namespace score_scale {
namespace {

constexpr NumberName kEntropy{"score_scale", "entropy"};  // ends of names, as kSpread
constexpr NumberName kGradient{"score_scale", "gradient"};
constexpr NumberName kHeadsHalved{"score_scale", "heads_halved"};

constexpr double kNoSpread = 1e-6;  // of summed standard deviations: rounding

/// What the logits, scaled by 1/√a as the model does, are multiplied by.
double factor_of(ScoreScale scale, double width) {
  switch (scale) {
    case ScoreScale::none:
      return std::sqrt(width);
    case ScoreScale::root:
      return 1;
    case ScoreScale::width:
      return 1 / std::sqrt(width);
  }
  __builtin_unreachable();
}

/// One head's: sums over rows of the standard deviation of a row's dot products.
struct Spreads {
  double whole = 0;
  double part = 0;  ///< of queries projected on a random subspace, the root of the mean variance over all subspaces

  /// With P such a projection of rank m in width a, E[P_ij P_kl] = x δ_ij δ_kl + y (δ_ik δ_jl + δ_il δ_jk); x and y
  /// from tr² P = m² and tr P² = m. Own.
  /// @param query, key  [length, width] @param rank  of the subspace
  void add(const Table& query, const Table& key, size_t rank) {
    const auto a = static_cast<double>(query.cols());
    const auto m = static_cast<double>(rank);
    const double y = m * (a - m) / (a * (a - 1) * (a + 2));
    const double x = (m * m - 2 * a * y) / (a * a);
    const Table around = centred(key);
    const double keys = around.squaredNorm() / static_cast<double>(key.rows());
    const Vector variances = (query * around.transpose()).rowwise().squaredNorm() / static_cast<double>(key.rows());
    for (Index i = 0; i < query.rows(); ++i) {
      whole += std::sqrt(variances(i));
      part += std::sqrt((x + y) * variances(i) + y * query.row(i).squaredNorm() * keys);
    }
  }
};

std::string name_of(ScoreScale scale) {
  switch (scale) {
    case ScoreScale::none:
      return "unscaled";
    case ScoreScale::root:
      return "scaled";
    case ScoreScale::width:
      return "over_width";
  }
  __builtin_unreachable();
}

}  // namespace
}  // namespace score_scale

std::string name_under(ScoreScale scale, const NumberName& what) {
  return fmt::format("{}_{}", score_scale::name_of(scale), what.name);
}

const chart::Series& series_of(ScoreScale scale) {
  const auto text = [](const char* name) { return localize(std::string("score_scale.scales.") + name); };
  static const chart::Series none{text("none"), {.colour = "@orange", .dash = {5, 3}, .shape = "square"}};
  static const chart::Series root{text("root"), {.colour = "@blue", .shape = "circle"}};
  static const chart::Series width{text("width"), {.colour = "@green", .dash = {2, 2}, .shape = "triangle-up"}};
  switch (scale) {
    case ScoreScale::none:
      return none;
    case ScoreScale::root:
      return root;
    case ScoreScale::width:
      return width;
  }
  __builtin_unreachable();
}

void ScoreRows::add(const Table& scores, double factor) {
  const Table weights = softmax_rows(scores, factor);
  const double most = std::log(static_cast<double>(scores.cols()));
  for (Index i = 0; i < scores.rows(); ++i) {
    const Vector row = scores.row(i);
    const Vector p = weights.row(i);
    rows += 1;
    spread += factor * standard_deviation(elements(row));
    entropy -= (p.array() > 0).select(p.array() * p.array().max(1e-300).log(), 0).sum() / most;
    saturated += p.maxCoeff() > score_scale::kSaturated ? 1 : 0;
    gradient += 1 - p.squaredNorm();
  }
}

void ScoreRows::add(const ScoreRows& other) {
  rows += other.rows;
  spread += other.spread;
  entropy += other.entropy;
  saturated += other.saturated;
  gradient += other.gradient;
}

ScaledRows ScoreHeads::head(size_t number, std::span<const size_t> texts) const {
  ScaledRows sums;
  for (const size_t text : texts) {
    for (size_t s = 0; s < sums.size(); ++s) sums[s].add(of[number][text][s]);
  }
  return sums;
}

std::vector<size_t> ScoreHeads::texts() const {
  std::vector<size_t> all(of.front().size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

ScoreHeads score_heads(const ChangedModel& model, const model::Batch& batch, const ChangeQueryKey& change) {
  const auto layers = static_cast<size_t>(model.config.num_hidden_layers);
  const auto per_layer = static_cast<size_t>(model.config.num_attention_heads);
  const auto width = static_cast<double>(model.config.head_size());
  ScoreHeads heads;
  heads.of.assign(layers * per_layer, std::vector<ScaledRows>(batch.texts()));
  watch_attention(model.engine(1), batch, {.change = change}, [&](const TextAttention& text) {
    for (size_t h = 0; h < heads.of.size(); ++h) {
      const Table& scores = text.scores[h / per_layer][h % per_layer];
      for (const ScoreScale scale : kScoreScales) {
        heads.of[h][text.text][scale_index(scale)].add(scores, score_scale::factor_of(scale, width));
      }
    }
  });
  return heads;
}

void equal_keys(const QueryKey& maps) {
  for (size_t column = 0; column < maps.key.columns(); ++column) {
    double sum = 0;
    for (size_t row = 0; row < maps.key.rows(); ++row) sum += double{maps.key(row, column)};
    const auto middle = static_cast<float>(sum / static_cast<double>(maps.key.rows()));
    for (size_t row = 0; row < maps.key.rows(); ++row) maps.key(row, column) = middle;
  }
}

ChangeQueryKey unit_normal(uint64_t seed) {
  return [seed](const QueryKey& maps) {
    RandomStream stream(seed, fmt::format("score scale: unit normal {} {}", maps.text, maps.layer));
    for (const auto& view : {maps.query, maps.key}) {
      for (size_t row = 0; row < view.rows(); ++row) {
        for (float& value : view.row(row)) value = static_cast<float>(stream.normal());
      }
    }
  };
}

size_t scale_index(ScoreScale scale) {
  return static_cast<size_t>(std::ranges::find(kScoreScales, scale) - kScoreScales.begin());
}

double growth_exponent(const ChangedModel& model, const model::Batch& batch, const ChangeQueryKey& change) {
  ChangedModel first = model;
  first.config.num_hidden_layers = 1;
  const auto width = static_cast<size_t>(first.config.head_size());
  const size_t kept = std::max<size_t>(1, width / 4);
  if (kept == width) return 0;
  std::vector<score_scale::Spreads> heads(static_cast<size_t>(first.config.num_attention_heads));
  const auto watch = [&](const QueryKey& maps) {
    if (change) change(maps);
    const Table query = table_of(maps.query);
    const Table key = table_of(maps.key);
    const auto columns = static_cast<Index>(width);
    for (size_t h = 0; h < heads.size(); ++h) {
      const Index begin = static_cast<Index>(h) * columns;
      heads[h].add(query.middleCols(begin, columns), key.middleCols(begin, columns), kept);
    }
  };
  watch_attention(with_balanced_maps(first).engine(1), batch, {.change = watch}, [](const TextAttention&) {});
  std::vector<double> exponents;
  for (const auto& [whole, part] : heads) {
    const bool both = part > score_scale::kNoSpread && whole > score_scale::kNoSpread;
    exponents.push_back(std::log(both ? whole / part : 1) /
                        std::log(static_cast<double>(width) / static_cast<double>(kept)));
  }
  return median(exponents);
}

double entropy_ratio(const ScaledRows& rows) {
  const double scaled = rows[scale_index(ScoreScale::root)].entropy;
  return scaled > 0 ? rows[scale_index(ScoreScale::none)].entropy / scaled : 1;
}

BareNumbers bare_numbers_of(const ScoreHeads& heads) {
  const auto texts = heads.texts();
  const auto middle = [&](const auto& number) { return heads.middle(number, texts); };
  BareNumbers bare{bare_number(score_scale::kEntropyRatio, middle(entropy_ratio))};
  for (const ScoreScale scale : kScoreScales) {
    const size_t s = scale_index(scale);
    const FormatArgs args{{"scale", series_of(scale).words}, {"saturated", score_scale::kSaturated}};
    const auto add = [&](const NumberName& what, double ScoreRows::*sum) {
      bare.push_back({.name = name_under(scale, what),
                      .label = what.label(args),
                      .value = middle([&](const auto& rows) { return rows[s].*sum / rows[s].rows; })});
    };
    add(score_scale::kSpread, &ScoreRows::spread);
    add(score_scale::kEntropy, &ScoreRows::entropy);
    add(score_scale::kSaturatedRows, &ScoreRows::saturated);
    add(score_scale::kGradient, &ScoreRows::gradient);
  }
  std::vector<double> ratios;
  for (size_t h = 0; h < heads.of.size(); ++h) ratios.push_back(entropy_ratio(heads.head(h, texts)));
  const auto halved = std::ranges::count_if(ratios, [](double ratio) { return ratio < kHalfEntropy; });
  bare.push_back(
      bare_number(score_scale::kHeadsHalved, static_cast<double>(halved) / static_cast<double>(ratios.size())));
  return bare;
}

}  // namespace summand::lab
