// 4.8 and 0.4: how long are the rows of the three tables, and can the position row answer for a text's length?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/norms/norm_lists.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"
#include "model/taps.hpp"

namespace summand::lab {

namespace {

constexpr double kLarger = 1.1;     // of one mean norm over the other: what counts as larger
constexpr double kMoves = 1e-3;     // a difference beside the vector's deviation: what depends on the length
constexpr size_t kBlock = 8;        // rows permuted together
constexpr size_t kLeastLength = 3;  // [CLS], a token, [SEP]
constexpr size_t kWatched = 1;      // the token looked at: the first behind [CLS]

/// Over the corpus' texts, of the two ratios that are weighted by them.
void add_intervals(const NormLists& lists, const CorpusItems& corpus, const Draws& draws,
                   std::vector<Number>& numbers) {
  for (Number& number : numbers) {
    const bool raw = number.name == "raw_ratio_corpus";
    if (!raw && number.name != "centred_ratio_corpus") continue;
    const auto& token = raw ? lists.token : lists.centred_token;
    const auto& position = raw ? lists.position : lists.centred_position;
    const auto ratio = [&](std::span<const size_t> texts) { return corpus_ratio(corpus, token, position, texts); };
    Draws of_this = draws;
    of_this.name = "norms: " + number.name;
    number.interval = bootstrap(corpus.texts.size() - 1, ratio, of_this);
  }
}

void measure_norms(const Subject& subject, const Conditions& conditions, Findings& findings) {
  if (lacking(subject.positions, 2, 1)) {
    findings.gaps["4.8"] = {"needs position rows that differ: centred, these have no length",
                            "需要互不相同的位置行：中心化之后这些行没有长度"};
    return;
  }
  const CorpusItems corpus = corpus_items(subject);
  const NormLists own = norm_lists(subject.tokens, subject.positions, subject.segments);
  const Draws draws{.seed = conditions.seed,
                    .name = "norms: dealt",
                    .count = conditions.quick ? 100U : 1000U,
                    .threads = threads_of(conditions)};
  if (conditions.quick)
    findings.left_out.push_back({"100 draws of the ratio's null instead of 1,000, rows dealt 5 times instead of 20",
                                 "比值的零假设抽样 100 次而非 1000 次，各表的行重分 5 次而非 20 次"});
  const auto dealt = dealt_ratios(own.token, own.position, draws);
  conditions.progress(0.4);
  const size_t deals = conditions.quick ? 5 : 20;
  const Readings null =
      median_readings({.seed = conditions.seed, .name = "norms: dealt rows", .count = deals},
                      [&](RandomStream& stream) { return readings_of(dealt_lists(subject, stream), corpus); });
  const Words of_null{fmt::format("rows of all tables dealt at random {} times", deals),
                      fmt::format("各表的行随机重分 {} 次", deals)};
  const Words of_control{"tables scaled: tokens 2 long, the others 1", "各表缩放：词元模长 2，其余 1"};
  auto numbers =
      numbers_beside(readings_of(own, corpus), {of_null, null}, {of_control, readings_of(scaled_lists(own), corpus)});
  add_intervals(own, corpus, draws, numbers);
  numbers.front().null = Beside{.value = median(dealt),
                                .interval = middle_95_percent(dealt),
                                .of = {"rows of both tables dealt at random", "两表的行随机重分"}};
  for (Number& number : numbers) findings.numbers["4.8"].add(std::move(number));
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
  /// The deviation of the vector's coordinates, largest less smallest over the texts; of the sum it is the first
  /// normalisation's σ.
  [[nodiscard]] double range_of_deviation(model::TapPoint point) const {
    std::vector<double> deviations;
    for (const auto& vector : seen_.at(point)) deviations.push_back(standard_deviation(elements(vector)));
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

void measure_lengths_norms(const Subject& subject, const Conditions& conditions, Findings& findings) {
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
                       watch.range_of_deviation(model::TapPoint::sum))
                  .null(watch.range_of_deviation(model::TapPoint::position_part), of_null)
                  .control(watch.range_of_deviation(model::TapPoint::layer_output), of_control));
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

Findings run_norms(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  findings.figures.push_back(norms_figure(subject));
  if (const auto lacking = lacks_sum(subject)) {
    findings.gaps["4.8"] = *lacking;
    findings.gaps["0.4"] = *lacking;
    return findings;
  }
  measure_norms(subject, conditions, findings);
  conditions.progress(0.8);
  measure_lengths_norms(subject, conditions, findings);
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

Words answer_norms(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
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
      .null = {"the rows of the tables dealt at random into tables of the same sizes; for lengths, the looked-up row "
               "itself",
               "各表的行随机重分为同样大小的表；对长度而言，查表所得的行本身"},
      .control =
          {"tables scaled so that tokens are twice as long as the others; for lengths, the same token behind the "
           "first layer",
           "各表缩放，使词元行为其余的两倍长；对长度而言，第一层之后的同一词元"},
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
      .run = run_norms,
      .answer = answer_norms};
}

}  // namespace summand::lab
