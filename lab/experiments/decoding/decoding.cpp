// 3.1: can token, position and segment be read back from their sum, and is a concatenation anything else?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/decoding/disturbed_sums.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/fold.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kAllDecoded = 0.99;   // of the vectors: what counts as nothing lost
constexpr double kLost = 0.5;          // under it much is lost
constexpr Index kBesideTokens = 4096;  // of null and control: their tables need no whole vocabulary

/// The tables of a sum.
struct SumTables {
  Table tokens, positions, segments;
};

/// The table's mean row, and around it normal rows that are together as long as its own; of norm 1 where its rows are
/// all equal.
Table gaussian_like(const Table& like, RandomStream& stream) {
  const auto rows = static_cast<size_t>(like.rows());
  const Table noise = white_noise({rows, static_cast<size_t>(like.cols())}, stream);
  const double own = centred(like).norm();
  const double scale = (own > 0 ? own : std::sqrt(static_cast<double>(rows))) / noise.norm();
  return (scale * noise).rowwise() + like.colwise().mean();
}

SumTables with_equal_positions(SumTables tables) {
  tables.positions.rowwise() = tables.positions.colwise().mean().eval();
  return tables;
}

/// Seen through one number: one direction, or three, of which the normalisation leaves an angle.
SumTables through_one_number(const SumTables& tables, Seen seen, RandomStream& stream) {
  const size_t width = seen == Seen::sum ? 1 : 3;
  const Table directions = white_noise({static_cast<size_t>(tables.tokens.cols()), width}, stream);
  return {tables.tokens * directions, tables.positions * directions, tables.segments * directions};
}

/// Sums of rows drawn uniformly, decoded under every disturbance.
Decoding decoding_beside(const SumTables& tables, Seen seen, const Conditions& conditions) {
  const SumDecoder decoder(tables.tokens, tables.positions, tables.segments);
  RandomStream stream(conditions.seed, "decoding: beside, rows");
  const auto row = [&](const Table& table) {
    return static_cast<Index>(stream.below(static_cast<size_t>(table.rows())));
  };
  std::vector<SumItem> items(conditions.quick ? 20 : 100);
  for (auto& item : items) item = {row(tables.tokens), row(tables.positions), row(tables.segments)};
  return {decoder, std::move(items), seen, nullptr, conditions};
}

/// What stands beside one search on the checkpoint.
struct DecodingsBeside {
  Decoding null, control;
  double one_number = 0;  ///< what is found in bf16 when the same tables are seen through one number
  double uniform = 0;     ///< what is found of combinations drawn uniformly; not in a quick run
};

/// Both searches on the checkpoint, and what stands beside them.
struct Rates {
  Decoding sum, normalised;
  DecodingsBeside beside_sum, beside_normalised;
};

DecodingsBeside decodings_beside(const Subject& subject, Seen seen, const Conditions& conditions) {
  const SumTables own{subject.tokens.topRows(std::min(kBesideTokens, subject.tokens.rows())), subject.positions,
                      subject.segments};
  RandomStream stream(conditions.seed, "decoding: beside");
  const SumTables gaussian{gaussian_like(own.tokens, stream), gaussian_like(own.positions, stream),
                           gaussian_like(own.segments, stream)};
  return {.null = decoding_beside(with_equal_positions(own), seen, conditions),
          .control = decoding_beside(gaussian, seen, conditions),
          .one_number = decoding_beside(through_one_number(own, seen, stream), seen, conditions).rate(kBf16)};
}

Rates rates_of(const Subject& subject, const FirstNorm& norm, const Conditions& conditions) {
  const size_t count = conditions.quick ? 24 : 300;
  RandomStream stream(conditions.seed, "decoding: corpus");
  const auto items = drawn_items(corpus_items(subject), count, stream);
  const SumDecoder decoder(subject.tokens, subject.positions, subject.segments);
  Rates rates{.sum = {decoder, items, Seen::sum, nullptr, conditions},
              .normalised = {decoder, items, Seen::normalised, &norm, conditions},
              .beside_sum = decodings_beside(subject, Seen::sum, conditions),
              .beside_normalised = decodings_beside(subject, Seen::normalised, conditions)};
  conditions.progress(0.7);
  if (!conditions.quick) {
    RandomStream uniform(conditions.seed, "decoding: uniform");
    const auto anywhere = uniform_items(subject, count, uniform);
    const auto rate = [&](Seen seen) {
      return exact_rate(decoder.decode(decoder.seen(anywhere, seen), anywhere, seen, threads_of(conditions)));
    };
    rates.beside_sum.uniform = rate(Seen::sum);
    rates.beside_normalised.uniform = rate(Seen::normalised);
  }
  return rates;
}

/// Every rate of a decoding, then the quantiles of its margins.
Readings readings_of(const Decoding& decoding, const std::string& name, const Words& where) {
  Readings readings;
  for (size_t k = 0; k < disturbances().size(); ++k) {
    const Words& words = disturbances()[k].words;
    readings.push_back({fmt::format("{}_{}", name, disturbances()[k].name),
                        {fmt::format("token, position and segment all found, {}, {}", where.en, words.en),
                         fmt::format("词元、位置、片段全部解出的比例，{}，{}", where.zh, words.zh)},
                        decoding.rate(k)});
  }
  const auto margins = decoding.margins();
  const auto margin = [&](const char* which, double probability, const Words& words) {
    readings.push_back(
        {fmt::format("{}_margin_{}", name, which),
         {fmt::format("distance of the next combination, beside the vector's length, {}, {}", where.en, words.en),
          fmt::format("下一个组合的距离与向量长度之比，{}，{}", where.zh, words.zh)},
         quantile(margins, probability)});
  };
  margin("least", 0, {"least", "最小"});
  margin("p10", 0.1, {"10 % quantile", "10% 分位数"});
  margin("median", 0.5, {"median", "中位数"});
  return readings;
}

/// Over the vectors of one disturbance.
Interval interval_of_rate(std::span<const Decoded> decoded, const std::string& name, const Conditions& conditions) {
  const auto rate = [&](std::span<const size_t> chosen) {
    size_t exact = 0;
    for (const size_t i : chosen) exact += decoded[i].exact ? 1 : 0;
    return static_cast<double>(exact) / static_cast<double>(chosen.size());
  };
  return bootstrap(decoded.size(), rate,
                   {.seed = conditions.seed,
                    .name = "decoding: bootstrap " + name,
                    .count = 1000,
                    .threads = threads_of(conditions)});
}

/// How many vectors stand beside, of what.
Words of_sums(const Decoding& decoding, const Words& tables) {
  return {fmt::format("{} sums, {}", decoding.of(0).size(), tables.en),
          fmt::format("{} 个和，{}", decoding.of(0).size(), tables.zh)};
}

void add_rates(const Decoding& own, const DecodingsBeside& beside, const std::string& name, const Words& where,
               const Conditions& conditions, Numbers& numbers) {
  const Words of_null = of_sums(beside.null, {"all position rows equal", "位置行全部相等"});
  const Words of_control = of_sums(beside.control, {"Gaussian tables of the same norms", "模长相同的高斯表"});
  auto rates = numbers_beside(readings_of(own, name, where), {of_null, readings_of(beside.null, name, where)},
                              {of_control, readings_of(beside.control, name, where)});
  for (size_t k = 0; k < disturbances().size(); ++k) {
    rates[k].interval = interval_of_rate(own.of(k), rates[k].name, conditions);
  }
  rates[kBf16].null =
      Beside{.value = beside.one_number, .of = of_sums(beside.null, {"seen through one number", "只透过一个数去看"})};
  for (auto& number : rates) numbers.add(std::move(number));
  if (conditions.quick) return;
  numbers.add(Measured("uniform_" + name,
                       {"the same of combinations drawn uniformly, " + where.en, "均匀抽取的组合，" + where.zh},
                       beside.uniform)
                  .null(beside.null.rate(0), of_null)
                  .control(beside.control.rate(0), of_control));
}

/// The sum as it is, and behind the normalisation.
const std::array<Words, 2> kSeenWords{Words{"sum", "和"}, Words{"normalised", "归一化后"}};

Figure noise_figure(const Rates& rates) {
  using namespace chart;
  const auto& [token, position, segment] = series_of_parts();
  const Series all{{"all three", "三者全部"}, {.colour = "@ink", .shape = "diamond"}};
  const std::vector<Series> series{all, token, position, segment};
  std::vector<Words> disturbance;
  std::vector<double> rate;
  std::vector<Words> what;
  std::vector<Words> where;
  const auto add = [&](const Decoding& decoding, const Words& seen) {
    for (size_t k = 0; k < disturbances().size(); ++k) {
      const std::array values{decoding.rate(k), decoding.rate(k, &Decoded::token), decoding.rate(k, &Decoded::position),
                              decoding.rate(k, &Decoded::segment)};
      for (size_t i = 0; i < values.size(); ++i) {
        disturbance.push_back(disturbances()[k].words);
        rate.push_back(values[i]);
        what.push_back(series[i].words);
        where.push_back(seen);
      }
    }
  };
  add(rates.sum, kSeenWords[0]);
  add(rates.normalised, kSeenWords[1]);
  Json y = listed("disturbance", {"disturbance", "扰动"});
  y["axis"]["labelOffset"] = -22;
  y["axis"]["grid"] = true;
  y["scale"] = {{"paddingInner", 0.45}, {"paddingOuter", 0.4}};
  Json channels_of_parts = name("what", {"found", "解出的部分"});
  channels_of_parts["sort"] = Json::array();
  for (const auto& one : series) channels_of_parts["sort"].push_back(words(one.words));
  const Json x = scaled(number("rate", {"share found", "解出比例"}, ".3f"), {{"domain", {0, 1}}});
  return {
      .name = "decoding-noise",
      .title = {"What is found in the sum", "从和中能解出什么"},
      .caption =
          {"The nearest of all combinations of token, position and segment, in the sum and in the normalised "
           "sum. Noise beside the vector's own size: at 100 % it is as long as the vector.",
           "在全部词元、位置、片段组合中取最近者，分别对和与归一化后的和。噪声以向量自身大小计：100% 时与向量等长。"},
      .specification =
          facets(name("where", {"seen", "所见"}), {kSeenWords.begin(), kSeenWords.end()},
                 mark({{"type", "point"}, {"size", 50}}, of_points({{"x", x}, {"y", y}, {"yOffset", channels_of_parts}},
                                                                   "what", {"found", "解出的部分"}, series)),
                 {.least = 300, .most = 2, .axis = 38, .height = 54.0 * static_cast<double>(disturbances().size())}),
      .data = FigureData{{{"disturbance", disturbance}, {"rate", rate}, {"what", what}, {"where", where}}}};
}

/// A line for every disturbance but rounding.
std::vector<chart::Series> series_of_noise() {
  const std::array<chart::Look, 5> looks{
      chart::Look{.colour = "@blue", .width = 3}, chart::Look{.colour = "@sky", .dash = {8, 3}},
      chart::Look{.colour = "@green", .dash = {4, 2}}, chart::Look{.colour = "@orange", .dash = {2, 2}},
      chart::Look{.colour = "@red", .dash = {6, 3, 2, 3}}};
  std::vector<chart::Series> series;
  for (const auto& one : disturbances()) {
    if (!one.bf16) series.push_back({one.words, looks.at(series.size())});
  }
  return series;
}

/// Of random tables: how wide a sum has to be.
Figure capacity_figure(const Conditions& conditions, Numbers& numbers) {
  using namespace chart;
  constexpr size_t kCapacityTokens = 2000;
  constexpr size_t kCapacityPositions = 128;
  std::vector<double> width_column;
  std::vector<double> rate_column;
  std::vector<Words> noise;
  std::vector<Words> where;
  for (const size_t width : {3, 4, 5, 8, 16, 64}) {
    RandomStream stream(conditions.seed, fmt::format("decoding: capacity {}", width));
    const auto table = [&](size_t rows, double norm) -> Table {
      return norm / std::sqrt(static_cast<double>(width)) * white_noise({rows, width}, stream);
    };
    const Table tokens = table(kCapacityTokens, 1.4);
    const Table positions = table(kCapacityPositions, 0.5);
    const Table segments = table(2, 0.2);
    std::vector<SumItem> items(conditions.quick ? 50 : 200);
    for (auto& item : items) {
      item.token = static_cast<Index>(stream.below(kCapacityTokens));
      item.position = static_cast<Index>(stream.below(kCapacityPositions));
      item.segment = static_cast<Index>(stream.below(2));
    }
    const SumDecoder decoder(tokens, positions, segments);
    for (const auto seen : {Seen::sum, Seen::normalised}) {
      const Decoding decoding(decoder, items, seen, nullptr, conditions);
      for (size_t k = 0; k < disturbances().size(); ++k) {
        if (disturbances()[k].bf16) continue;
        width_column.push_back(static_cast<double>(width));
        rate_column.push_back(decoding.rate(k));
        noise.push_back(disturbances()[k].words);
        where.push_back(kSeenWords[seen == Seen::sum ? 0 : 1]);
      }
      if (seen == Seen::sum && (width == 4 || width == 16)) {
        const SumTables equal = with_equal_positions({tokens, positions, segments});
        const Decoding null({equal.tokens, equal.positions, equal.segments}, items, seen, nullptr, conditions);
        numbers.add(Measured(fmt::format("random_tables_{}_noise_10", width),
                             {fmt::format("random tables of width {}, 10 % noise, all three found", width),
                              fmt::format("宽 {} 的随机表，10% 噪声，全部解出的比例", width)},
                             decoding.rate(kNoise10))
                        .null(null.rate(kNoise10), {"all position rows equal", "位置行全部相等"})
                        .control(decoding.rate(0), {"without noise", "不加噪声"}));
      }
    }
  }
  return {.name = "decoding-capacity",
          .title = {"How wide a sum has to be", "和需要多宽"},
          .caption =
              {"Random tables: 2,000 tokens, 128 positions, 2 segments, norms 1.4, .5 and .2. Where a line reaches 1, "
               "nothing is lost by adding.",
               "随机表：2000 个词元、128 个位置、2 个片段，模长 1.4、.5、.2。达到 1 处，相加不丢失任何信息。"},
          .specification = facets(
              name("where", {"seen", "所见"}), {kSeenWords.begin(), kSeenWords.end()},
              mark({{"type", "line"}, {"point", true}},
                   of_lines({{"x", logarithmic(number("width", {"width", "宽度"}, "d"), {4, 8, 16, 32, 64})},
                             {"y", scaled(number("rate", {"all three found", "全部解出比例"}), {{"domain", {0, 1}}})}},
                            "noise", {"noise", "噪声"}, series_of_noise())),
              {.least = 300, .most = 2, .axis = 66, .height = 240}),
          .data = FigureData{{{"width", width_column}, {"rate", rate_column}, {"noise", noise}, {"where", where}}}};
}

Findings run_decoding(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  if (!lacking && corpus_items(subject).items.empty()) lacking = Words{"needs a corpus", "需要语料"};
  if (lacking) {
    findings.gaps["3.1"] = *lacking;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(
        {"24 vectors of the corpus instead of 300, none of uniform combinations, 50 of random tables instead of 200",
         "语料向量 24 个而非 300 个，不取均匀组合，随机表 50 个而非 200 个"});
  }
  const FirstNorm norm = first_norm(subject);
  const Rates rates = rates_of(subject, norm, conditions);
  conditions.progress(0.8);
  Numbers& numbers = findings.numbers["3.1"];
  add_rates(rates.sum, rates.beside_sum, "sum", {"from the sum", "由和"}, conditions, numbers);
  add_rates(rates.normalised, rates.beside_normalised, "normalised", {"from the normalised sum", "由归一化后的和"},
            conditions, numbers);
  RandomStream stream(conditions.seed, "decoding: projection");
  const auto items = drawn_items(corpus_items(subject), 20, stream);
  const Projection map = Projection::drawn(subject.tokens.cols(), stream);
  const Projection swapped{map.position, map.token, map.segment};
  const Projection identity = Projection::identity(subject.tokens.cols());
  numbers.add(Measured("fold",
                       {"largest difference of concatenate-and-project from the sum of three folded tables, beside a "
                        "coordinate's size",
                        "拼接加投影与折叠成三张表之和的最大差（以坐标大小计）"},
                       fold_difference(subject, items, map, map))
                  .null(fold_difference(subject, items, map, swapped), {"folded by the wrong maps", "用错误的映射折叠"})
                  .control(fold_difference(subject, items, identity, identity), {"maps that do nothing", "恒等映射"}));
  findings.figures.push_back(noise_figure(rates));
  findings.figures.push_back(capacity_figure(conditions, numbers));
  findings.remarks.push_back(
      {fmt::format("Searched exactly: {} × {} × {} combinations. Null and control use the first {} tokens.",
                   subject.tokens.rows(), subject.positions.rows(), subject.segments.rows(), kBesideTokens),
       fmt::format("精确搜索 {} × {} × {} 个组合。零假设与对照只用前 {} 个词元。", subject.tokens.rows(),
                   subject.positions.rows(), subject.segments.rows(), kBesideTokens)});
  conditions.progress(1);
  return findings;
}

Verdict judge_decoding(const Numbers& numbers) {
  const double sum = numbers.value("sum_exact");
  const double normalised = numbers.value("normalised_exact");
  const double least = std::min({sum, normalised, numbers.value("sum_bf16"), numbers.value("normalised_bf16")});
  const bool told_apart = std::max(numbers.null("sum_bf16"), numbers.null("normalised_bf16")) < kLost &&
                          std::min(numbers.control("sum_bf16"), numbers.control("normalised_bf16")) >= kAllDecoded;
  const bool folds = numbers.value("fold") <= kFoldRounding && numbers.null("fold") > 100 * kFoldRounding;
  Verdict verdict;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (least >= kAllDecoded) {
    verdict.observation = Observation::fails;
  } else if (std::min(sum, normalised) < kLost) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  verdict.inference = folds ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("all three are found in {:.1f} % of the sums and {:.1f} % of the normalised ones, in bf16 "
                  "{:.1f} and {:.1f} %; concatenate-and-project is a sum to within {:.1g}",
                  100 * sum, 100 * normalised, 100 * numbers.value("sum_bf16"), 100 * numbers.value("normalised_bf16"),
                  numbers.value("fold")),
      fmt::format("三者全部解出的比例：和为 {:.1f}%，归一化后 {:.1f}%，bf16 下为 {:.1f}% 与 "
                  "{:.1f}%；拼接加投影与相加之差不超过 {:.1g}",
                  100 * sum, 100 * normalised, 100 * numbers.value("sum_bf16"), 100 * numbers.value("normalised_bf16"),
                  numbers.value("fold"))};
  return verdict;
}

Words answer_decoding(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("3.1")) return findings.gaps.at("3.1");
  const Numbers& numbers = findings.numbers.at("3.1");
  return {
      fmt::format("From the normalised sum alone, token, position and segment are all found in {:.0f} % of cases, with "
                  "10 % noise in {:.0f} %, with 30 % in {:.0f} %. And a concatenation followed by a linear map is a "
                  "sum of three tables, to rounding: it can express nothing more.",
                  100 * numbers.value("normalised_exact"), 100 * numbers.value("normalised_noise_10"),
                  100 * numbers.value("normalised_noise_30")),
      fmt::format("仅凭归一化后的和，{:.0f}% 的情形能同时解出词元、位置与片段；加 10% 噪声为 {:.0f}%，加 30% 为 "
                  "{:.0f}%。而拼接后再做"
                  "线性映射，在舍入误差内就是三张表之和：表达不出更多东西。",
                  100 * numbers.value("normalised_exact"), 100 * numbers.value("normalised_noise_10"),
                  100 * numbers.value("normalised_noise_30"))};
}

}  // namespace

Experiment decoding_experiment() {
  return {
      .name = "decoding",
      .effort = 20,
      .title = {"Reading the sum back", "从和中读回"},
      .question = {"Does adding lose which token, position and segment were added?",
                   "相加会丢失加的是哪个词元、位置和片段吗？"},
      .definition =
          {"Sums of the corpus' tokens; the nearest of all token × position × segment combinations, by distance "
           "before and by cosine after the normalisation: as they are, in bf16, with noise of 1 to 100 %; the "
           "margin to the next one. A random concatenate-and-project against its three folded tables.",
           "取语料词元的和，在全部词元 × 位置 × 片段组合中找最近者：归一化前按距离，之后按余弦；原样、bf16、1% 至 100% "
           "噪声；并给出到下一个组合的间隔。另取随机的拼接加投影，与其折叠出的三张表比较。"},
      .source = {"document 003; folding: own; karpathy/nanoGPT issue 83",
                 "文档 003；折叠：自算；karpathy/nanoGPT 第 83 号议题"},
      .null = {"all position rows equal; in bf16 the same tables seen through one number; folding by the wrong maps",
               "位置行全部相等；bf16 下只透过一个数去看同样的表；用错误的映射折叠"},
      .control = {"Gaussian tables of the same norms; maps that do nothing", "模长相同的高斯表；恒等映射"},
      .rules =
          {{.claim = "3.1",
            .observation =
                {"that what is added is lost fails if at least 99 % of the combinations are found, before "
                 "and after normalisation, also in bf16; holds if less than half are found before or "
                 "after; otherwise, or if the null finds half or the control not 99 %, it cannot be told",
                 "归一化前后及 bf16 下都至少解出 99% 的组合，则“相加会丢失”不成立；归一化前或后解出不足一半则成立；其余"
                 "情形，或零假设解出一半、对照不足 99% 时，无法判断"},
            .inference =
                {"that a concatenation is more natural does not follow if one with a linear map behind it "
                 "equals a sum of three tables within 2e-4, and the wrong fold does not; otherwise not tested",
                 "若拼接加线性映射与三张表之和相差不超过 2e-4，而错误的折叠不然，则“拼接更自然”推不出；否则未检验"},
            .judge = judge_decoding}},
      .run = run_decoding,
      .answer = answer_decoding};
}

}  // namespace summand::lab
