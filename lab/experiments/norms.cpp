// 4.8 and 0.4: how long are the rows of the three tables, and can the position row answer for a text's length?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/charts.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/input_parts.hpp"
#include "lab/experiments/measured.hpp"
#include "lab/experiments/position_parts.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "model/batch.hpp"
#include "model/taps.hpp"

namespace summand::lab {

namespace {

constexpr double kLarger = 1.1;      // of one mean norm over the other: what counts as larger
constexpr double kPlantedRatio = 2;  // the control's
constexpr double kMoves = 1e-3;      // a difference beside the vector's deviation: what depends on the length
constexpr size_t kBlock = 8;         // rows permuted together
constexpr size_t kLeastLength = 3;   // [CLS], a token, [SEP]
constexpr size_t kWatched = 1;       // the token looked at: the first behind [CLS]

std::vector<double> norms_of(const Table& table) {
  const Vector norms = table.rowwise().norm();
  return {norms.begin(), norms.end()};
}

/// The mean norm of the tokens over that of the positions, as they occur in some of the corpus' texts.
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

/// The rows of both tables dealt anew into two of the same sizes: neither is longer.
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

void measure_norms(const Subject& subject, const Conditions& conditions, Findings& findings) {
  const InputParts parts = input_parts(subject);
  const CorpusItems corpus = corpus_items(subject);
  const auto token = norms_of(subject.tokens);
  const auto position = norms_of(subject.positions);
  const auto centred_token = norms_of(parts.tokens);
  const auto centred_position = norms_of(parts.positions);
  const size_t draws = conditions.quick ? 100 : 1000;
  if (conditions.quick)
    findings.left_out.push_back({"100 draws of the null instead of 1,000", "零假设抽样 100 次而非 1000 次"});
  const auto dealt = dealt_ratios(
      token, position,
      {.seed = conditions.seed, .name = "norms: dealt", .count = draws, .threads = threads_of(conditions)});
  conditions.progress(0.4);
  const Words of_null{"rows of both tables dealt at random", "两表的行随机重分"};
  const Words of_control{"positions scaled to half the tokens' mean norm", "位置行缩放到词元平均模长的一半"};
  Numbers& numbers = findings.numbers["4.8"];
  numbers.add(Measured("raw_ratio",
                       {"mean norm, token over position, raw, uniform", "平均模长之比（词元/位置），原始、均匀"},
                       mean(token) / mean(position))
                  .null(median(dealt), of_null, middle_95_percent(dealt))
                  .control(kPlantedRatio, of_control));
  numbers.add(Measured("centred_ratio", {"the same, each table centred", "同上，各表中心化"},
                       mean(centred_token) / mean(centred_position)));
  if (!corpus.items.empty()) {
    std::vector<size_t> texts(corpus.texts.size() - 1);
    std::iota(texts.begin(), texts.end(), size_t{0});
    const auto weighted = [&](const char* name, Words label, const auto& of_token, const auto& of_position) {
      const auto ratio = [&](std::span<const size_t> some) {
        return corpus_ratio(corpus, of_token, of_position, some);
      };
      numbers.add(Measured(name, std::move(label), ratio(texts))
                      .interval(bootstrap(texts.size(), ratio,
                                          {.seed = conditions.seed,
                                           .name = std::string("norms: ") + name,
                                           .count = draws,
                                           .threads = threads_of(conditions)})));
    };
    weighted("raw_ratio_corpus", {"the same, raw, weighted by the corpus", "同上，原始，按语料加权"}, token, position);
    weighted("centred_ratio_corpus", {"the same, centred, weighted by the corpus", "同上，中心化，按语料加权"},
             centred_token, centred_position);
  }
  const auto spread = [&](const std::string& name, const Words& of, const std::vector<double>& norms) {
    numbers.add(Measured(name + "_mean", {"mean norm of " + of.en, of.zh + "的平均模长"}, mean(norms)));
    numbers.add(Measured(name + "_p10", {"its 10 % quantile", "其 10% 分位数"}, quantile(norms, 0.1)));
    numbers.add(Measured(name + "_p90", {"its 90 % quantile", "其 90% 分位数"}, quantile(norms, 0.9)));
  };
  spread("token_raw", {"token rows, raw", "词元行（原始）"}, token);
  spread("position_raw", {"position rows, raw", "位置行（原始）"}, position);
  spread("segment_raw", {"segment rows, raw", "片段行（原始）"}, norms_of(subject.segments));
  spread("token_centred", {"token rows, centred", "词元行（中心化）"}, centred_token);
  spread("position_centred", {"position rows, centred", "位置行（中心化）"}, centred_position);
  spread("segment_centred", {"segment rows, centred", "片段行（中心化）"}, norms_of(parts.segments));
}

/// Keeps one token's values at the points that the question is about, text by text.
class WatchToken : public model::Taps<float> {
 public:
  [[nodiscard]] bool wants(model::TapPoint point) const override {
    return point == model::TapPoint::position_part || point == model::TapPoint::sum ||
           point == model::TapPoint::input || point == model::TapPoint::layer_output;
  }
  void visit(const model::TapSite& site, MatrixView<float> values) override {
    if (site.layer > 0) return;
    const auto row = values.row(kWatched);
    seen_[site.point].emplace_back(Vector::Zero(static_cast<Eigen::Index>(row.size())));
    for (size_t i = 0; i < row.size(); ++i) seen_[site.point].back()(static_cast<Eigen::Index>(i)) = double{row[i]};
  }
  /// The largest difference from the first text, in deviations of that text's vector.
  [[nodiscard]] double largest_difference(model::TapPoint point) const {
    const auto& vectors = seen_.at(point);
    const double scale = standard_deviation(elements(vectors.front()));
    double largest = 0;
    for (const auto& vector : vectors) largest = std::max(largest, (vector - vectors.front()).cwiseAbs().maxCoeff());
    return scale > 0 ? largest / scale : largest;
  }
  /// The first normalisation's σ, largest less smallest over the texts.
  [[nodiscard]] double range_of_deviation() const {
    std::vector<double> deviations;
    for (const auto& vector : seen_.at(model::TapPoint::sum))
      deviations.push_back(standard_deviation(elements(vector)));
    return std::ranges::max(deviations) - std::ranges::min(deviations);
  }

 private:
  std::map<model::TapPoint, std::vector<Vector>> seen_;
};

/// The longest text of the corpus, cut shorter and shorter: the token behind [CLS] stays what and where it is.
std::optional<model::Batch> texts_of_many_lengths(const Subject& subject) {
  const auto longer = [](const text::Encoding& a, const text::Encoding& b) { return a.ids.size() < b.ids.size(); };
  const auto& sentences = subject.corpus.sentences;
  const auto longest = std::max_element(sentences.begin(), sentences.end(), longer);
  if (longest == sentences.end() || longest->ids.size() < 2 * kLeastLength) return {};
  model::Batch batch;
  for (size_t length = longest->ids.size(); length >= kLeastLength; length /= 2) {
    batch.add(std::span(longest->ids).first(length), std::span(longest->segments).first(length));
  }
  return batch;
}

void measure_lengths(const Subject& subject, const Conditions& conditions, Findings& findings) {
  const auto batch = texts_of_many_lengths(subject);
  if (!batch || subject.model->config().num_hidden_layers < 1 ||
      subject.positions.rows() < 2 * static_cast<Eigen::Index>(kBlock)) {
    findings.gaps["0.4"] = {"needs a layer, 16 positions, and a corpus with a text of at least 6 tokens",
                            "需要至少一层、16 个位置，以及至少 6 个词元的文本"};
    return;
  }
  WatchToken watch;
  subject.model->engine().run(*batch, {.hidden_states = {1}, .taps = &watch});
  const Words of_null{"the position row alone: a lookup", "仅位置行：查表"};
  const Words of_control{"the same token behind the first layer, which reads the others",
                         "同一词元在第一层之后（会读取其他词元）"};
  Numbers& numbers = findings.numbers["0.4"];
  numbers.add(
      Measured("largest_difference",
               {fmt::format("largest change of a token's normalised input over {} lengths of its text, in deviations",
                            batch->texts()),
                fmt::format("同一词元归一化输入在 {} 种文本长度之间的最大变化（以标准差计）", batch->texts())},
               watch.largest_difference(model::TapPoint::input))
          .null(watch.largest_difference(model::TapPoint::position_part), of_null)
          .control(watch.largest_difference(model::TapPoint::layer_output), of_control));
  numbers.add(Measured("range_of_sigma",
                       {"range of the first normalisation's σ over those lengths", "第一次归一化的 σ 在各长度间的极差"},
                       watch.range_of_deviation()));
  const auto norms = norms_of(subject.positions);
  std::vector<double> place(norms.size());
  std::iota(place.begin(), place.end(), 0.0);
  const double tau = kendall_tau(place, norms);
  const auto shuffled = drawn({.seed = conditions.seed,
                               .name = "norms: order",
                               .count = conditions.quick ? 20U : 200U,
                               .threads = threads_of(conditions)},
                              [&](RandomStream& stream) {
                                std::vector<double> order = norms;
                                stream.shuffle(std::span(order));
                                return kendall_tau(place, order);
                              });
  numbers.add(
      Measured("norm_against_position", {"Kendall's τ of ‖p_i‖ (raw) and i", "‖p_i‖（原始）与 i 的 Kendall τ"}, tau)
          .null(median(shuffled), {"rows in random order", "行序打乱"}, middle_95_percent(shuffled))
          .control(1, {"norms that grow with the position", "模长随位置增长"}));
  if (conditions.quick) {
    findings.left_out.push_back({"20 random orders of the norms instead of 200", "模长随机排序 20 次而非 200 次"});
  }
}

Figure norms_figure(const Subject& subject) {
  using namespace chart;
  const std::vector<Series> series{{{"raw", "原始"}, {.colour = "@blue", .width = 2}},
                                   {{"centred", "中心化"}, {.colour = "@orange", .dash = {5, 2}}}};
  std::vector<double> place;
  std::vector<double> norm;
  std::vector<Words> which;
  const auto add = [&](const Table& table, const Series& one) {
    const auto norms = norms_of(table);
    for (size_t i = 0; i < norms.size(); ++i) {
      place.push_back(static_cast<double>(i));
      norm.push_back(norms[i]);
      which.push_back(one.words);
    }
  };
  add(subject.positions, series[0]);
  add(centred(subject.positions), series[1]);
  std::vector<Json> marks{
      mark({{"type", "line"}}, of_lines({{"x", whole("position", {"position", "位置"})},
                                         {"y", number("norm", {"norm of the position row", "位置行的模长"})}},
                                        "rows", {"rows", "行"}, series)),
      rule("x", static_cast<double>(kShortSequence)),
      rule_label("x", static_cast<double>(kShortSequence), {"128", "128"})};
  if (subject.tokens.rows() > 0) {
    const double of_tokens = mean(norms_of(subject.tokens));
    marks.push_back(rule("y", of_tokens));
    marks.push_back(rule_label("y", of_tokens, {"mean norm of a token row, raw", "词元行的平均模长（原始）"}));
  }
  return {
      .name = "norms-by-position",
      .title = {"How long each position row is", "各位置行的模长"},
      .caption = {"Do the first row and the last ones stand out? Are rows before position 128, where short training "
                  "sequences end, longer or shorter than those after it?",
                  "首行与末尾几行是否突出？位置 128（短训练序列的终点）之前的行比之后的更长还是更短？"},
      .specification = layers(std::move(marks)),
      .data = FigureData{{{"position", place}, {"norm", norm}, {"rows", which}}}};
}

Findings run(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  findings.figures.push_back(norms_figure(subject));
  if (const auto lacking = lacks_sum(subject)) {
    findings.gaps["4.8"] = *lacking;
    findings.gaps["0.4"] = *lacking;
    return findings;
  }
  measure_norms(subject, conditions, findings);
  conditions.progress(0.8);
  measure_lengths(subject, conditions, findings);
  conditions.progress(1);
  return findings;
}

Verdict judge_norms(const Numbers& numbers) {
  const double raw = numbers.value("raw_ratio");
  const double own = numbers.value("centred_ratio");
  const auto& null = numbers.at("raw_ratio").null->interval;
  Verdict verdict;
  if (raw >= kLarger && raw > null->high) {
    verdict.observation = Observation::holds;
  } else if (raw <= 1 / kLarger && raw < null->low) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const bool same_side = (raw >= kLarger) == (own >= kLarger);
  verdict.inference = raw < kLarger || !same_side ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("a token row is {:.2f} times as long as a position row, {:.2f} times with both tables "
                  "centred; whether p is small enough for a Taylor expansion, lengths cannot say",
                  raw, own),
      fmt::format("词元行的模长是位置行的 {:.2f} 倍，两表中心化后为 {:.2f} 倍；p 是否小到可以做泰勒展开，模长回答不了",
                  raw, own)};
  return verdict;
}

Verdict judge_lengths(const Numbers& numbers) {
  const double difference = numbers.value("largest_difference");
  const double control = numbers.control("largest_difference");
  Verdict verdict;
  if (control <= kMoves) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = difference == 0       ? Observation::fails
                          : difference > kMoves ? Observation::holds
                                                : Observation::cannot_be_told;
  }
  if (difference == 0) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format("over texts of many lengths a token's input changes by {:g} and its σ by {:g}; behind "
                  "the first layer by {:.2f} deviations",
                  difference, numbers.value("range_of_sigma"), control),
      fmt::format("在不同长度的文本中，同一词元的输入变化 {:g}，其 σ 变化 {:g}；第一层之后变化 {:.2f} 个标准差",
                  difference, numbers.value("range_of_sigma"), control)};
  return verdict;
}

Words answer(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.8")) return findings.gaps.at("4.8");
  const Numbers& numbers = findings.numbers.at("4.8");
  const bool measured = !findings.gaps.contains("0.4");
  const bool fixed = measured && verdicts.at("0.4").observation == Observation::fails;
  return {fmt::format("A token row is {:.2f} times as long as a position row; {:.2f} times once each table is centred, "
                      "which alone does not depend on a constant moved between them.{}",
                      numbers.value("raw_ratio"), numbers.value("centred_ratio"),
                      fixed ? " Neither a position row nor the first normalisation knows how long the text is: the "
                              "same token in the same place starts identically."
                            : ""),
          fmt::format("词元行是位置行的 {:.2f} 倍长；各表中心化后为 {:.2f} 倍，只有后者不受在两表间移动的常数影响。{}",
                      numbers.value("raw_ratio"), numbers.value("centred_ratio"),
                      fixed ? "位置行与第一次归一化都不知道文本多长：同一位置的同一词元，起点完全相同。" : "")};
}

}  // namespace

Experiment norms_experiment() {
  return {
      .name = "norms",
      .title = {"How long the rows are", "各行的模长"},
      .question = {"Are token rows longer than position rows, and can either know a text's length?",
                   "词元行比位置行长吗？它们能知道文本有多长吗？"},
      .definition =
          {"Euclidean norms of all rows, raw and with each table centred, uniform over rows and as they occur "
           "in the corpus. Then one token at one place, in its text cut to many lengths, through the engine's "
           "taps: the change of its position row, of σ, of the normalised sum.",
           "全部行的欧氏模长，原始与各表中心化，对行均匀与按语料出现。再取固定位置的同一词元，把其文本截成多种长度，"
           "经引擎的观测点比较位置行、σ 与归一化后的和。"},
      .source = {"documents 000 and 004", "文档 000 与 004"},
      .null = {"the rows of both tables dealt at random into two; for lengths, the looked-up row itself",
               "两表的行随机重分为两组；对长度而言，查表所得的行本身"},
      .control = {"positions scaled to half the tokens' length; for lengths, the same token behind the first layer",
                  "位置行缩放为词元的一半；对长度而言，第一层之后的同一词元"},
      .rules =
          {{.claim = "4.8",
            .observation =
                {"holds if the raw, uniform mean norm of tokens is at least 1.1 times that of positions and above 95 % "
                 "of rows dealt at random; fails if it is at most 1/1.1 times and below them; otherwise it cannot be "
                 "told",
                 "词元的平均模长（原始、均匀）至少为位置的 1.1 倍且高于 95% 的随机重分则成立；不超过 1/1.1 "
                 "且低于它们则不成立；其余情形无法判断"},
            .inference =
                {"that p is small to some degree does not follow if the ratio is not above 1.1, or changes "
                 "side when the tables are centred; otherwise not tested: the size of Taylor's terms is "
                 "another claim",
                 "若比值不超过 1.1，或中心化后换了方向，则“p 是小量”推不出；否则未检验：泰勒各项的大小另有一条"},
            .judge = judge_norms},
           {.claim = "0.4",
            .observation =
                {"holds if a token's normalised input changes with its text's length by more than .001 "
                 "deviations; fails if it does not change at all; otherwise, or if it changes no more "
                 "behind the first layer, it cannot be told",
                 "同一词元的归一化输入随文本长度变化超过 .001 个标准差则成立；完全不变则不成立；其余情形，或第一层之"
                 "后也几乎不变时，无法判断"},
            .inference = {"that position rows compensate for length does not follow if nothing changes; otherwise "
                          "not tested",
                          "若毫无变化，则“位置嵌入补偿长度”推不出；否则未检验"},
            .judge = judge_lengths}},
      .run = run,
      .answer = answer};
}

}  // namespace summand::lab
