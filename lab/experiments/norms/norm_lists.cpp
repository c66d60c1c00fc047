#include "lab/experiments/norms/norm_lists.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

using Eigen::Index;

namespace norms {
namespace {

constexpr NumberName kMeanTokenNorm{"norms", "mean_token_norm"};
constexpr NumberName kMeanPositionNorm{"norms", "mean_position_norm"};
constexpr NumberName kMeanSegmentNorm{"norms", "mean_segment_norm"};

// Rows of which a mean and quantiles are read; their labels are what rows they are.
constexpr NumberName kTokenRaw{"norms", "token_raw"};
constexpr NumberName kPositionRaw{"norms", "position_raw"};
constexpr NumberName kSegmentRaw{"norms", "segment_raw"};
constexpr NumberName kTokenCentred{"norms", "token_centred"};
constexpr NumberName kPositionCentred{"norms", "position_centred"};
constexpr NumberName kSegmentCentred{"norms", "segment_centred"};
constexpr std::array kQuantiles{10, 90};  // percent

double ratio_of_means(const std::vector<double>& norms, const std::vector<double>& others) {
  const double mean_norm = mean(norms);
  const double other = mean(others);
  return other > mean_norm / kLargestRatio ? mean_norm / other : kLargestRatio;
}

/// Without row 0, where [CLS] alone stands, and without the rows that stand out; all of them if hardly one is left.
Table ordinary_rows(const Table& positions) {
  constexpr Index kLeast = 2;
  auto left_out = outlying_rows(positions);
  if (left_out.empty() || left_out.front() != 0) left_out.insert(left_out.begin(), 0);
  if (positions.rows() < static_cast<Index>(left_out.size()) + kLeast) return positions;
  return without_rows(positions, left_out);
}

std::vector<size_t> all_texts(const CorpusItems& corpus) {
  std::vector<size_t> texts(corpus.texts.size() - 1);
  std::iota(texts.begin(), texts.end(), size_t{0});
  return texts;
}

void add_mean(const NumberName& rows, const std::vector<double>& lengths, BareNumbers& bare) {
  bare.push_back({rows.of("mean"), localize("norms.of_rows.mean", {{"rows", rows.label()}}), mean(lengths)});
}

void add_quantiles(const NumberName& rows, const std::vector<double>& lengths, BareNumbers& bare) {
  for (const int percent : kQuantiles) {
    bare.push_back({rows.of("p" + std::to_string(percent)),
                    localize("norms.of_rows.quantile", {{"percent", percent}, {"rows", rows.label()}}),
                    quantile(lengths, percent / 100.0)});
  }
}

}  // namespace
}  // namespace norms

std::vector<double> norms_of(const Table& table) {
  const Vector norms = table.rowwise().norm();
  return {norms.begin(), norms.end()};
}

double corpus_ratio(const CorpusItems& corpus, const std::vector<double>& token, const std::vector<double>& position,
                    std::span<const size_t> texts) {
  double of_tokens = 0;
  double of_positions = 0;
  for (const size_t text : texts) {
    for (size_t i = corpus.texts[text]; i < corpus.texts[text + 1]; ++i) {
      of_tokens += token[static_cast<size_t>(corpus.items[i].token)];
      of_positions += position[static_cast<size_t>(corpus.items[i].position)];
    }
  }
  return of_positions > 0 ? of_tokens / of_positions : 0;
}

NormLists norm_lists(const Table& tokens, const Table& positions, const Table& segments, const Table& ordinary_tokens) {
  return {.token = norms_of(tokens),
          .position = norms_of(positions),
          .segment = norms_of(segments),
          .centred_token = norms_of(centred(tokens)),
          .centred_position = norms_of(centred(positions)),
          .centred_segment = norms_of(centred(segments)),
          .ordinary_position = norms_of(centred(norms::ordinary_rows(positions))),
          .ordinary_token = norms_of(centred(ordinary_tokens))};
}

NormLists dealt_lists(const std::array<Table, 3>& seen, RandomStream& stream) {
  const std::array<const Table*, 3> tables{&seen[0], &seen[1], &seen[2]};
  std::vector<std::pair<const Table*, Index>> pool;
  for (const Table* table : tables) {
    for (Index i = 0; i < table->rows(); ++i) pool.emplace_back(table, i);
  }
  stream.shuffle(std::span(pool));
  std::array<Table, 3> dealt;
  auto next = pool.begin();
  for (size_t k = 0; k < tables.size(); ++k) {
    dealt[k].resize(tables[k]->rows(), tables[k]->cols());
    for (Index i = 0; i < dealt[k].rows(); ++i, ++next) dealt[k].row(i) = next->first->row(next->second);
  }
  return norm_lists(dealt[0], dealt[1], dealt[2], dealt[0]);
}

std::vector<double> dealt_ratios(const std::vector<double>& token, const std::vector<double>& position,
                                 const Draws& draws) {
  std::vector<double> pool = token;
  pool.insert(pool.end(), position.begin(), position.end());
  const double whole = std::accumulate(pool.begin(), pool.end(), 0.0);
  return drawn(draws, [&](RandomStream& stream) {
    // Which rows become positions: a draw without replacement of as many as there are.
    std::map<size_t, size_t> moved;
    double of_positions = 0;
    for (size_t i = 0; i < position.size(); ++i) {
      const size_t at = i + stream.below(pool.size() - i);
      const auto found = moved.find(at);
      of_positions += pool[found == moved.end() ? at : found->second];
      const auto first = moved.find(i);
      moved[at] = first == moved.end() ? i : first->second;
    }
    const double mean_of_positions = of_positions / static_cast<double>(position.size());
    return (whole - of_positions) / static_cast<double>(token.size()) / mean_of_positions;
  });
}

NormLists scaled_lists(NormLists lists) {
  const auto scale = [](double wanted, std::vector<double>& own, std::initializer_list<std::vector<double>*> others) {
    const double mean_norm = mean(own);
    const double factor = mean_norm > 0 ? wanted / mean_norm : 1;
    for (double& norm : own) norm *= factor;
    for (auto* other : others) {
      for (double& norm : *other) norm *= factor;
    }
  };
  scale(norms::kPlantedRatio, lists.centred_token, {&lists.token, &lists.ordinary_token});
  scale(1, lists.centred_position, {&lists.position, &lists.ordinary_position});
  scale(1, lists.centred_segment, {&lists.segment});
  return lists;
}

double share_below(double ratio, const std::vector<double>& dealt) {
  const auto below = std::ranges::count_if(dealt, [ratio](double one) { return one < ratio; });
  return static_cast<double>(below) / static_cast<double>(dealt.size());
}

BareNumbers bare_numbers_of(const NormLists& lists, const NormCorpus& corpus) {
  using namespace norms;
  BareNumbers bare{bare_number(kCentredRatio, ratio_of_means(lists.centred_token, lists.centred_position)),
                   bare_number(kCentredRatioOrdinary, ratio_of_means(lists.ordinary_token, lists.ordinary_position),
                               {{"largest", kLargestRatio}}),
                   bare_number(kRawRatio, ratio_of_means(lists.token, lists.position)),
                   bare_number(kMeanTokenNorm, mean(lists.token)),
                   bare_number(kMeanPositionNorm, mean(lists.position)),
                   bare_number(kMeanSegmentNorm, mean(lists.segment))};
  const auto of_corpus = [&](const NumberName& name, const CorpusItems& items, const std::vector<double>& token,
                             const std::vector<double>& position) {
    if (!items.items.empty()) bare.push_back(bare_number(name, corpus_ratio(items, token, position, all_texts(items))));
  };
  of_corpus(kCentredRatioCorpus, corpus.all, lists.centred_token, lists.centred_position);
  of_corpus(kCentredRatioWords, corpus.words, lists.centred_token, lists.centred_position);
  of_corpus(kRawRatioCorpus, corpus.all, lists.token, lists.position);
  add_quantiles(kTokenRaw, lists.token, bare);
  add_quantiles(kPositionRaw, lists.position, bare);
  add_quantiles(kSegmentRaw, lists.segment, bare);
  const auto of_centred = [&](const NumberName& rows, const std::vector<double>& lengths) {
    add_mean(rows, lengths, bare);
    add_quantiles(rows, lengths, bare);
  };
  of_centred(kTokenCentred, lists.centred_token);
  of_centred(kPositionCentred, lists.centred_position);
  of_centred(kSegmentCentred, lists.centred_segment);
  return bare;
}

}  // namespace summand::lab
