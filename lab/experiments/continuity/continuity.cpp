// 0.9: does t-SNE show the positions as a continuous path, and does that mean that adding keeps structure?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/neighbours.hpp"
#include "lab/statistics/tsne.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr size_t kNear = 5;
constexpr size_t kWider = 10;
constexpr size_t kLeastNeighbourRows = 64;
constexpr double kPerplexity = 20;
constexpr double kContinuous = 0.5;
constexpr double kNot = 0.2;

/// A table, its picture, and how local both are.
struct Picture {
  Words name;
  Table embedding;
  double table_near = 0;
  double table_wider = 0;
  double picture_near = 0;
  double trusted = 0;
};

Picture picture_of(Words name, const Table& table, const Conditions& conditions) {
  const TsneSettings settings{.perplexity = std::min(kPerplexity, static_cast<double>(table.rows()) / 4),
                              .iterations = conditions.quick ? 300 : 750,
                              .exaggerated_iterations = conditions.quick ? 100 : 250,
                              .final_iterations = conditions.quick ? 0 : 250};
  Picture picture{.name = std::move(name), .embedding = tsne(table, settings).embedding};
  picture.table_near = neighbour_continuity(table, kNear);
  picture.table_wider = neighbour_continuity(table, kWider);
  picture.picture_near = neighbour_continuity(picture.embedding, kNear);
  picture.trusted = trustworthiness(table, picture.embedding, kWider);
  return picture;
}

/// Token + position + segment 0 at every position, the token drawn from the corpus as often as it occurs there; from
/// the whole table where there is no corpus.
std::optional<Table> sums(const Subject& subject, const Conditions& conditions) {
  if (subject.tokens.rows() == 0 || subject.tokens.cols() != subject.positions.cols()) return {};
  std::vector<Index> ids;
  for (const auto& sentence : subject.corpus.sentences) {
    for (const auto id : sentence.ids) ids.push_back(static_cast<Index>(id));
  }
  RandomStream stream(conditions.seed, "continuity: tokens");
  Table sum = subject.positions;
  for (Index row = 0; row < sum.rows(); ++row) {
    const Index id = ids.empty() ? static_cast<Index>(stream.below(static_cast<size_t>(subject.tokens.rows())))
                                 : ids[stream.below(ids.size())];
    sum.row(row) += subject.tokens.row(id);
    if (subject.segments.rows() > 0) sum.row(row) += subject.segments.row(0);
  }
  return sum;
}

Figure pictures_figure(const std::vector<Picture>& pictures) {
  using namespace chart;
  std::vector<Words> of;
  std::vector<Words> order;
  std::vector<double> position;
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& picture : pictures) {
    order.push_back(picture.name);
    for (Index i = 0; i < picture.embedding.rows(); ++i) {
      of.push_back(picture.name);
      position.push_back(static_cast<double>(i));
      x.push_back(picture.embedding(i, 0));
      y.push_back(picture.embedding(i, 1));
    }
  }
  const auto place = [](const char* field, const Words& title) {
    Json channel = number(field, title);  // its unit means nothing: no ticks
    channel["axis"] = {{"title", nullptr}, {"labels", false}, {"ticks", false}, {"domain", false}, {"grid", false}};
    channel["scale"] = {{"zero", false}};
    return channel;
  };
  Json specification =
      facets(name("of", {"table", "表"}), order,
             mark({{"type", "circle"}, {"size", 14}, {"opacity", 1}},
                  {{"x", place("x", {"t-SNE 1", "t-SNE 1"})},
                   {"y", place("y", {"t-SNE 2", "t-SNE 2"})},
                   {"color", scaled(number("position", {"position", "位置"}, "d"), {{"scheme", "viridis"}})}}),
             {.least = 220, .most = 3, .axis = 38, .height = 230});
  specification["resolve"] = {{"scale", {{"x", "independent"}, {"y", "independent"}}}};
  return {
      .name = "continuity-tsne",
      .title = {"t-SNE of the positions", "位置的 t-SNE"},
      .caption = {"A point is a position, its colour which; axes mean nothing, only who is near whom. Is the table a "
                  "thread, as random walks and Gaussian processes are, and is it one with tokens added?",
                  "每个点是一个位置，颜色表示是哪一个；坐标本身没有意义，只看谁与谁相近。此表是否成线，如同随机游走和高"
                  "斯过程？"
                  "加上词元之后呢？"},
      .specification = std::move(specification),
      .data = FigureData{{{"of", of}, {"position", position}, {"x", x}, {"y", y}}}};
}

Findings run_continuity(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table& table = subject.positions;
  const Table sine = sinusoid_like(table, 100);
  const auto gap = lacking(table, kLeastNeighbourRows, 2);
  if (gap || lacking(sine, kLeastNeighbourRows, 2)) {
    findings.gaps["0.9"] = gap.value_or(Words{"needs at least 2 coordinates", "需要至少 2 个维度"});
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back({"t-SNE stops after 300 steps", "t-SNE 在 300 步后停止"});
  }
  std::vector<std::pair<Words, Table>> tables{{series_of_table().words, table}, {words_of_sinusoid(), sine}};
  for (const auto surrogate : {Surrogate::white_noise, Surrogate::random_walk, Surrogate::gaussian_process}) {
    RandomStream stream(conditions.seed, "continuity: " + name_of(surrogate));
    tables.emplace_back(words_of(surrogate), drawn_surrogate(surrogate, table, stream));
  }
  const auto sum = sums(subject, conditions);
  if (sum) tables.emplace_back(Words{"table, tokens added", "此表，加上词元"}, *sum);
  std::vector<Picture> pictures(tables.size());
  run_tasks(conditions, tables.size(),
            [&](size_t i) { pictures[i] = picture_of(tables[i].first, tables[i].second, conditions); });
  conditions.progress(0.9);

  const Picture& own = pictures[0];
  const Picture& control = pictures[1];
  const Picture& white = pictures[2];
  const Words of_control{"sinusoid of base 100", "底数 100 的正弦编码"};
  Numbers& numbers = findings.numbers["0.9"];
  const auto add = [&](const std::string& name, const Words& label, double Picture::*of, const Picture& value) {
    numbers.add(Measured(name, label, value.*of)
                    .null(white.*of, words_of(Surrogate::white_noise))
                    .control(control.*of, of_control));
  };
  add("continuity_5", {"of a row's 5 nearest, share within ±5 positions", "每行 5 个最近邻中落在 ±5 个位置内的比例"},
      &Picture::table_near, own);
  add("continuity_10", {"of its 10 nearest, within ±10", "10 个最近邻中落在 ±10 内的比例"}, &Picture::table_wider, own);
  add("picture_continuity_5", {"the same in the t-SNE picture, 5", "t-SNE 图中的同一数值，5"}, &Picture::picture_near,
      own);
  add("trustworthiness", {"trustworthiness of the picture, 10 neighbours", "图的可信度，10 个邻居"}, &Picture::trusted,
      own);
  for (const size_t i : {size_t{3}, size_t{4}}) {
    const auto surrogate = i == 3 ? Surrogate::random_walk : Surrogate::gaussian_process;
    const Words of = words_of(surrogate);
    add(name_of(surrogate) + "_continuity_5", {"share within ±5: " + of.en, "±5 内的比例：" + of.zh},
        &Picture::table_near, pictures[i]);
    add(name_of(surrogate) + "_picture_continuity_5", {"the same in its picture", "其图中的同一数值"},
        &Picture::picture_near, pictures[i]);
    add(name_of(surrogate) + "_trustworthiness", {"trustworthiness of its picture", "其图的可信度"}, &Picture::trusted,
        pictures[i]);
  }
  if (sum) {
    add("sum_continuity_5", {"share within ±5: the sum with tokens", "±5 内的比例：与词元相加之后"},
        &Picture::table_near, pictures[5]);
    add("sum_picture_continuity_5", {"the same in its picture", "其图中的同一数值"}, &Picture::picture_near,
        pictures[5]);
  } else {
    findings.remarks.push_back({"A position table alone has no tokens to be added to: the sum was not looked at.",
                                "只有位置表时没有词元可加：未考察相加之后的情形。"});
  }
  findings.figures = {pictures_figure(pictures)};
  conditions.progress(1);
  return findings;
}

Verdict judge_continuity(const Numbers& numbers) {
  const double own = numbers.value("continuity_5");
  const double picture = numbers.value("picture_continuity_5");
  Verdict verdict;
  if (numbers.null("continuity_5") >= kNot || numbers.control("continuity_5") < kContinuous) {
    verdict.observation = Observation::cannot_be_told;
  } else if (own >= kContinuous && picture >= kContinuous) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = own < kNot ? Observation::fails : Observation::cannot_be_told;
  }
  const double walk = numbers.value("random_walk_continuity_5");
  const bool has_sum = std::ranges::count(numbers.all(), "sum_continuity_5", &Number::name) > 0;
  const double sum = has_sum ? numbers.value("sum_continuity_5") : 1;
  verdict.inference = walk >= kContinuous || sum < kNot ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format(
          "{:.2f} of a row's nearest five lie within five positions, {:.2f} in the picture; a random walk, added "
          "to nothing, has {:.2f}{}",
          own, picture, walk, has_sum ? fmt::format("; the sum itself has {:.2f}", sum) : std::string()),
      fmt::format("每行最近的五行中 {:.2f} 落在五个位置之内，图中为 {:.2f}；从未与任何东西相加的随机游走为 {:.2f}{}",
                  own, picture, walk, has_sum ? fmt::format("；相加之后本身为 {:.2f}", sum) : std::string())};
  return verdict;
}

Words answer_continuity(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.9")) return findings.gaps.at("0.9");
  const Numbers& numbers = findings.numbers.at("0.9");
  const bool holds = verdicts.at("0.9").observation == Observation::holds;
  return {fmt::format("{} {:.0f} % of a row's nearest neighbours are its neighbours in the text; of a random walk's, "
                      "{:.0f} %. The picture shows the table before anything is added, so it cannot say what adding "
                      "does.",
                      holds ? "Yes, the path is continuous." : "The path is not shown to be continuous.",
                      100 * numbers.value("continuity_5"), 100 * numbers.value("random_walk_continuity_5")),
          fmt::format("{}每行的最近邻中 {:.0f}% 就是文本中的邻位；随机游走为 "
                      "{:.0f}%。图中是相加之前的表，说明不了相加的作用。",
                      holds ? "是，轨迹连续。" : "未能显示轨迹连续。", 100 * numbers.value("continuity_5"),
                      100 * numbers.value("random_walk_continuity_5"))};
}

}  // namespace

Experiment continuity_experiment() {
  return {
      .name = "continuity",
      .effort = 8,
      .title = {"Neighbours stay neighbours", "邻位仍是近邻"},
      .question = {"Is the position table a continuous path in a t-SNE picture, and what would that prove?",
                   "位置表在 t-SNE 图中是连续的轨迹吗？这能证明什么？"},
      .definition =
          {"Exact t-SNE of the rows, perplexity 20, started from principal components. Of each row's 5 (10) "
           "nearest rows, the share within ±5 (±10) positions, in the table and in the picture; "
           "trustworthiness with 10 neighbours. The same of the sum with tokens drawn from the corpus.",
           "对各行作精确 t-SNE，困惑度 20，自主成分开始。每行的 5（10）个最近行中落在 ±5（±10）个位置内的比例，"
           "表中与图中；10 个邻居的可信度。另对与语料词元相加后的和作同样计算。"},
      .source = {"van der Maaten & Hinton 2008; trustworthiness: Venna & Kaski 2001",
                 "van der Maaten & Hinton 2008；可信度：Venna & Kaski 2001"},
      .null = {"white noise; for what it proves, a random walk and a Gaussian process",
               "白噪声；其证明力用随机游走与高斯过程"},
      .control = {"a sinusoidal table of base 100", "底数 100 的正弦表"},
      .rules = {{.claim = "0.9",
                 .observation = {"holds if half of the 5 nearest rows lie within ±5 positions, in the table and in the "
                                 "picture; fails if less than .2 do in the table; otherwise, or if white noise reaches "
                                 ".2 or the sinusoid misses .5, it cannot be told",
                                 "表中与图中最近的 5 行各有一半落在 ±5 之内则成立；表中不足 .2 "
                                 "则不成立；其余情形，或白噪声达到 .2、正弦表不足 .5 时，无法判断"},
                 .inference = {"that adding did not destroy structure does not follow if a random walk reaches .5 too, "
                               "or the sum itself stays below .2; otherwise not tested",
                               "若随机游走也达到 .5，或相加之后本身不足 .2，则“相加未破坏结构”推不出；否则未检验"},
                 .judge = judge_continuity}},
      .run = run_continuity,
      .answer = answer_continuity};
}

}  // namespace summand::lab
