#include "lab/experiments/variance_shares/dominance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/probing/ordinary_items.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

using Eigen::Index;

namespace variance_shares_parts {
namespace {

constexpr double kPlantedDimensions = 0.1;  // in the texts: every tenth
constexpr double kPlantedVariance = 4;      // times the tokens'
constexpr double kElsewhere = 0.1;          // times the tokens'

constexpr NumberName kDominatedDimensions{"variance_shares", "dominated_dimensions"};  // a family: of which tokens
constexpr NumberName kDominatedElsewhere{"variance_shares", "dominated_elsewhere"};    // a family
constexpr NumberName kDominatedShuffled{"variance_shares", "dominated_shuffled"};
constexpr NumberName kTokensThereAll{"variance_shares", "tokens_there_all"};
constexpr NumberName kParticipation{"variance_shares", "participation"};

double spread(const Table& rows) {
  return (rows.rowwise() - rows.colwise().mean()).squaredNorm();
}

PartRows with_shuffled_dimensions(const PartRows& rows, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "variance shares: dimensions");
  std::vector<Index> order(static_cast<size_t>(rows.token.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  stream.shuffle(std::span(order));
  PartRows shuffled = rows;
  for (size_t d = 0; d < order.size(); ++d) shuffled.position.col(static_cast<Index>(d)) = rows.position.col(order[d]);
  return shuffled;
}

/// How evenly positions use the dimensions: 1 if all alike, 1/hidden if one.
double participation(const Table& rows) {
  const Vector variances = (rows.rowwise() - rows.colwise().mean()).cwiseAbs2().colwise().mean().transpose();
  return participation_ratio(variances / variances.sum()) / static_cast<double>(variances.size());
}

/// Cov(part, x)/Var(x) over the coordinates of each row, the mean over rows.
double over_coordinates(const Table& part, const Table& sum) {
  double total = 0;
  for (Index i = 0; i < sum.rows(); ++i) {
    const Vector x = (sum.row(i).array() - sum.row(i).mean()).transpose();
    const double variance = x.squaredNorm();
    if (variance > 0) total += part.row(i).dot(x) / variance;
  }
  return total / static_cast<double>(sum.rows());
}

/// What the shares of each vector's own variance are: here the common vector has one.
void add_coordinate_shares(const PartRows& rows, const Vector& segment_mean, BareNumbers& bare) {
  const Table sum = rows.sum();
  const auto add = [&](const std::string& part, const Table& addend) {
    bare.push_back(
        {part + "_over_coordinates",
         localize("variance_shares.numbers.over_coordinates", {{"part", localize("variance_shares.parts." + part)}}),
         over_coordinates(addend, sum)});
  };
  add("common", rows.common);
  add("token", rows.token);
  add("position", rows.position);
  add("segment", rows.segment);
  add("segment_raw", rows.segment.rowwise() + segment_mean.transpose());
}

FormatArgs among(const std::string& where) {
  return {{"where", localize("variance_shares.where." + where)}};
}

void add_shares(const std::string& where, const DimensionShares& of, BareNumbers& bare) {
  bare.push_back(bare_number(kTokenShare, where, of.whole(of.token), among(where)));
  bare.push_back(bare_number(kPositionShare, where, of.whole(of.position), among(where)));
  bare.push_back(bare_number(kSegmentShare, where, of.whole(of.segment), among(where)));
}

/// The largest dimension: which it is, how much of the whole variance it has, and how much of that is the positions'.
void add_largest(const std::string& where, const DimensionShares& of, BareNumbers& bare) {
  const Index largest = of.largest();
  const double total = of.variance.sum();
  bare.push_back(bare_number(kLargestIs, where, static_cast<double>(largest), among(where)));
  bare.push_back(bare_number(kLargest, where, total > 0 ? of.variance(largest) / total : 0, among(where)));
  bare.push_back(bare_number(kLargestPosition, where, of.position(largest), among(where)));
}

/// Those that do not stand at position 0.
PartRows without_first(const PartRows& rows, const std::vector<SumItem>& items) {
  std::vector<Index> kept;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].position > 0) kept.push_back(static_cast<Index>(i));
  }
  if (kept.empty()) return rows;
  return {rows.common(kept, Eigen::all), rows.token(kept, Eigen::all), rows.position(kept, Eigen::all),
          rows.segment(kept, Eigen::all)};
}

CorpusItems chosen_texts(const CorpusItems& of, const std::vector<size_t>& texts) {
  CorpusItems chosen;
  for (const size_t text : texts) {
    chosen.items.insert(chosen.items.end(), of.items.begin() + static_cast<std::ptrdiff_t>(of.texts[text]),
                        of.items.begin() + static_cast<std::ptrdiff_t>(of.texts[text + 1]));
    chosen.texts.push_back(chosen.items.size());
  }
  return chosen;
}

}  // namespace
}  // namespace variance_shares_parts

SampledTokens sampled_tokens(const Subject& subject, size_t tokens, RandomStream& stream) {
  using namespace variance_shares_parts;
  SampledTokens sampled{.all = corpus_items(subject), .words = ordinary_items(subject)};
  if (sampled.all.items.size() <= tokens) return sampled;
  std::vector<size_t> order(sampled.all.texts.size() - 1);
  std::iota(order.begin(), order.end(), size_t{0});
  stream.shuffle(std::span(order));
  std::vector<size_t> texts;
  size_t count = 0;
  for (const size_t text : order) {
    if (count >= tokens && texts.size() >= kLeastResampled) break;
    texts.push_back(text);
    count += sampled.all.texts[text + 1] - sampled.all.texts[text];
  }
  std::ranges::sort(texts);
  return {.all = chosen_texts(sampled.all, texts), .words = chosen_texts(sampled.words, texts)};
}

PartSamples::PartSamples(const InputParts& parts, const FirstNorm& norm, const SampledTokens& of,
                         const std::vector<SumItem>& uniform)
    : tokens(of),
      uniform_items(uniform),
      all(part_rows(parts, of.all.items)),
      words(part_rows(parts, of.words.items)),
      all_after(normalised(all, norm)),
      words_after(normalised(words, norm)),
      uniform_after(normalised(part_rows(parts, uniform), norm)) {}

InputParts turned(InputParts parts, RandomStream& stream) {
  const auto hidden = static_cast<size_t>(parts.positions.cols());
  parts.positions = (parts.positions * random_frame(hidden, hidden, stream)).eval();
  return parts;
}

InputParts with_own_dimensions(InputParts parts, const PartRows& words, RandomStream& stream) {
  using namespace variance_shares_parts;
  parts.positions =
      white_noise({static_cast<size_t>(parts.positions.rows()), static_cast<size_t>(parts.positions.cols())}, stream);
  const auto step = static_cast<Index>(1 / kPlantedDimensions);
  const auto count = static_cast<double>(words.token.rows());
  for (Index d = 0; d < words.token.cols(); ++d) {
    const double wanted = d % step == 0 ? kPlantedVariance : kElsewhere;
    parts.positions.col(d) *= std::sqrt(spread(words.token.col(d)) / count * wanted);
  }
  return parts;
}

Dominance dominance_of(const PartSamples& samples, double turned_high, const Draws& draws) {
  const TextMoments moments(samples.words, samples.tokens.words.texts);
  const auto over_texts = [&](const char* name, const auto& of) {
    Draws of_this = draws;
    of_this.name += name;
    return bootstrap(
        moments.texts(), [&](std::span<const size_t> chosen) { return of(moments.shares(chosen)); }, of_this);
  };
  return {.dominated = over_texts("dominated", [](const DimensionShares& of) { return of.dominated(of.position); }),
          .position_share = over_texts("share", [](const DimensionShares& of) { return of.whole(of.position); }),
          .tokens_there = over_texts("tokens", [](const DimensionShares& of) { return of.tokens_where_dominated(); }),
          .turned_high = turned_high};
}

BareNumbers bare_dominance_numbers(const PartSamples& samples, const InputParts& parts, const Conditions& conditions) {
  using namespace variance_shares_parts;
  const DimensionShares words = dimension_shares(samples.words);
  const DimensionShares all = dimension_shares(samples.all);
  const DimensionShares words_after = dimension_shares(samples.words_after);
  const DimensionShares all_after = dimension_shares(samples.all_after);
  const DimensionShares later = dimension_shares(without_first(samples.all, samples.tokens.all.items));
  const DimensionShares uniform = uniform_shares(parts);
  const DimensionShares uniform_after = dimension_shares(samples.uniform_after);
  const DimensionShares shuffled = dimension_shares(with_shuffled_dimensions(samples.words, conditions));
  BareNumbers bare{bare_number(kDominated, words.dominated(words.position)),
                   bare_number(kDominatedAll, all.dominated(all.position))};
  const auto elsewhere = [&](const std::string& where, const DimensionShares& of) {
    bare.push_back(bare_number(kDominatedElsewhere, where, of.dominated(of.position), among(where)));
  };
  elsewhere("without_row_0", later);
  elsewhere("words_after", words_after);
  elsewhere("corpus_after", all_after);
  elsewhere("uniform", uniform);
  elsewhere("uniform_after", uniform_after);
  bare.push_back(bare_number(kDominatedShuffled, shuffled.dominated(shuffled.position)));
  const auto dimensions = [&](const std::string& where, const DimensionShares& of) {
    bare.push_back(
        bare_number(kDominatedDimensions, where, DimensionShares::dominated_dimensions(of.position), among(where)));
  };
  dimensions(kWords, words);
  dimensions(kCorpus, all);
  add_largest(kCorpus, all, bare);
  add_largest(kWords, words, bare);
  bare.push_back(bare_number(kTokensThere, words.tokens_where_dominated()));
  bare.push_back(bare_number(kTokensThereAll, all.tokens_where_dominated()));
  add_shares(kWords, words, bare);
  add_shares(kCorpus, all, bare);
  add_shares("words_after", words_after, bare);
  add_shares("uniform", uniform, bare);
  add_shares("uniform_after", uniform_after, bare);
  add_coordinate_shares(samples.words, parts.segment_mean, bare);
  bare.push_back(bare_number(kParticipation, participation(parts.positions)));
  return bare;
}

}  // namespace summand::lab
