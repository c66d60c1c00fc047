#include "lab/experiments/norms/norm_lists.hpp"

#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kPlantedRatio = 2;  // the control's, of tokens over positions

std::vector<size_t> all_texts(const CorpusItems& corpus) {
  std::vector<size_t> texts(corpus.texts.size() - 1);
  std::iota(texts.begin(), texts.end(), size_t{0});
  return texts;
}

}  // namespace

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

NormLists norm_lists(const Table& tokens, const Table& positions, const Table& segments) {
  return {.token = norms_of(tokens),
          .position = norms_of(positions),
          .segment = norms_of(segments),
          .centred_token = norms_of(centred(tokens)),
          .centred_position = norms_of(centred(positions)),
          .centred_segment = norms_of(centred(segments))};
}

NormLists dealt_lists(const Subject& subject, RandomStream& stream) {
  const std::array<const Table*, 3> tables{&subject.tokens, &subject.positions, &subject.segments};
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
  return norm_lists(dealt[0], dealt[1], dealt[2]);
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
  const auto scale = [](double wanted, std::vector<double>& raw, std::vector<double>& own) {
    const double mean_norm = mean(raw);
    const double factor = mean_norm > 0 ? wanted / mean_norm : 1;
    for (double& norm : raw) norm *= factor;
    for (double& norm : own) norm *= factor;
  };
  scale(kPlantedRatio, lists.token, lists.centred_token);
  scale(1, lists.position, lists.centred_position);
  scale(1, lists.segment, lists.centred_segment);
  return lists;
}

Readings readings_of(const NormLists& lists, const CorpusItems& corpus) {
  Readings readings{
      {"raw_ratio",
       {"mean norm, token over position, raw, uniform", "平均模长之比（词元/位置），原始、均匀"},
       mean(lists.token) / mean(lists.position)},
      {"mean_token_norm", {"mean norm of token rows, raw", "词元行（原始）的平均模长"}, mean(lists.token)},
      {"mean_position_norm", {"mean norm of position rows, raw", "位置行（原始）的平均模长"}, mean(lists.position)},
      {"mean_segment_norm", {"mean norm of segment rows, raw", "片段行（原始）的平均模长"}, mean(lists.segment)},
      {"centred_ratio",
       {"mean norm, token over position, each table centred", "平均模长之比（词元/位置），各表中心化"},
       mean(lists.centred_token) / mean(lists.centred_position)}};
  if (!corpus.items.empty()) {
    const auto texts = all_texts(corpus);
    readings.push_back(
        {"raw_ratio_corpus",
         {"mean norm, token over position, raw, weighted by the corpus", "平均模长之比（词元/位置），原始，按语料加权"},
         corpus_ratio(corpus, lists.token, lists.position, texts)});
    readings.push_back({"centred_ratio_corpus",
                        {"mean norm, token over position, centred, weighted by the corpus",
                         "平均模长之比（词元/位置），中心化，按语料加权"},
                        corpus_ratio(corpus, lists.centred_token, lists.centred_position, texts)});
  }
  const auto quantiles = [&](const std::string& name, const Words& of, const std::vector<double>& norms) {
    readings.push_back(
        {name + "_p10", {"10 % quantile of the norms of " + of.en, of.zh + "模长的 10% 分位数"}, quantile(norms, 0.1)});
    readings.push_back(
        {name + "_p90", {"90 % quantile of the norms of " + of.en, of.zh + "模长的 90% 分位数"}, quantile(norms, 0.9)});
  };
  const auto of_centred = [&](const std::string& name, const Words& of, const std::vector<double>& norms) {
    readings.push_back({name + "_mean", {"mean norm of " + of.en, of.zh + "的平均模长"}, mean(norms)});
    quantiles(name, of, norms);
  };
  quantiles("token_raw", {"token rows, raw", "词元行（原始）"}, lists.token);
  quantiles("position_raw", {"position rows, raw", "位置行（原始）"}, lists.position);
  quantiles("segment_raw", {"segment rows, raw", "片段行（原始）"}, lists.segment);
  of_centred("token_centred", {"token rows, centred", "词元行（中心化）"}, lists.centred_token);
  of_centred("position_centred", {"position rows, centred", "位置行（中心化）"}, lists.centred_position);
  of_centred("segment_centred", {"segment rows, centred", "片段行（中心化）"}, lists.centred_segment);
  return readings;
}

}  // namespace summand::lab
