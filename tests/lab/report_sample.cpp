#include "lab/report_sample.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "lab/results/rule_state.hpp"
#include "lab/sample_figures.hpp"

namespace summand::lab::sample {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

Claim claim(std::string id, std::string document, Quote quote, LocalizedText text, Evidence evidence) {
  return {.id = std::move(id),
          .document = std::move(document),
          .quote = std::move(quote),
          .brief = text,
          .claim = std::move(text),
          .test = {"Count the principal components of the position table that explain more than one percent of its "
                   "variance, and set them beside white noise of the same size.",
                   "统计位置表中解释方差超过百分之一的主成分个数，并与同样大小的白噪声比较。"},
          .published = {},
          .worked_out = {},
          .evidence = evidence};
}

std::vector<Claim> make_claims() {
  using enum Evidence;
  std::vector<Claim> claims{
      claim("0.1", "000", {"三个向量相加等价于先拼接再乘以一个矩阵，所以信息并没有丢失。", 12},
            {"Adding is concatenating and projecting.", "相加等价于先拼接再投影。"}, checkpoint),
      claim("0.2", "000", {"这种加法在训练中会让模型自己学会把三种信息放在不同的子空间里。", 31},
            {"Training puts the three kinds of information into different subspaces.",
             "训练会把三种信息放进不同的子空间。"},
            trained_controls),
      claim("Q1", "001", {"为什么 BERT 的三个 embedding 可以相加？", 3},
            {"Adding does no harm to the <b>tokens</b> & their \"meaning\".", "相加不会损害<b>词</b>的意思。"},
            trained_controls),
      claim("E1", "002", {"可以看到前两个主成分随位置呈现出周期性变化。", 45},
            {"The first two principal components change periodically with position.", "前两个主成分随位置周期变化。"},
            checkpoint),
      claim("E2", "002", {"The heat map shows a block structure </script><script>window.broken = 1</script>", 58},
            {"The table of positions, drawn in three colours, has a block structure that is not there in any table of "
             "the "
             "same size and the same smoothness.",
             "用三种颜色画出的位置表有块状结构，而同样大小、同样平滑的其他表没有。"},
            checkpoint),
      claim("E3", "002", {"只有少数几个主成分解释了大部分方差。", 61},
            {"A few components explain most of the variance.", "少数主成分解释了大部分方差。"}, checkpoint),
      claim("3.1", "003", {"Why and how are position embeddings summed with token embeddings?", 1},
            {"The sum can be taken apart again.", "和可以重新拆开。"}, checkpoint),
      claim("4.1", "004", {"如果 H 可以忽略，那么位置之间的关系只取决于相对距离。", 88},
            {"How two positions relate depends on their distance alone.", "两个位置的关系只取决于距离。"}, checkpoint)};
  claims[4].test = {"A linear map of any kind, a sine and cosine of every kind, and the cosine of two rows.",
                    "任意类别的线性映射，各种正弦/余弦，以及两行的余弦；同一位置换了词元，其次序的置换。"};
  claims[3].brief = {"the first components change with position", "前几个主成分随位置变化"};
  claims[3].published = {"period 200 in GPT-2 (Simon 2024, section 3)", "GPT-2 中周期为 200（Simon 2024，第 3 节）"};
  return claims;
}

Verdict judged(const Numbers& /*numbers*/) {
  return {Observation::holds, Inference::follows, {}};
}

Rule rule(std::string id) {
  return {.claim = std::move(id),
          .observation = {"holds if the number exceeds the null's 95th percentile; fails if it lies below its median; "
                          "cannot be told between.",
                          "若数值超过零模型的第 95 百分位则成立；低于其中位数则不成立；介于其间则无法判断。"},
          .inference = {"follows if the intervention moves the output by more than the control; does not follow "
                        "otherwise.",
                        "若干预对输出的改变大于阳性对照则可推出；否则推不出。"},
          .judge = judged};
}

LocalizedText answer(const Findings& findings, const std::map<std::string, Verdict>& /*verdicts*/) {
  if (findings.figures.empty()) return {"Nothing was drawn.", "没有图。"};
  return {
      "Yes for the smooth part, no for the period. The first two principal components of this table follow the "
      "position like a random walk does, and a surrogate of the same smoothness looks the same. What is periodic "
      "ends at position 128, where the second training phase began.",
      "平滑的部分成立，周期性不成立。该表的前两个主成分随位置的变化与随机游走无异，同样平滑的替代数据看起来一样。"
      "周期性只到位置 128 为止，那正是第二阶段训练开始之处。"};
}

Experiment experiment(std::string name, LocalizedText title, std::vector<std::string> ids) {
  Experiment result{
      .name = std::move(name),
      .title = std::move(title),
      .question = {"Do the first two components follow the position, and does anything follow from it?",
                   "前两个主成分是否随位置变化，由此能得出什么？"},
      .definition = {"Take the mean off each column of the position table `P`, then the singular value "
                     "decomposition; Procrustes distance to sinusoids; skill over persistence of a "
                     "prediction from the four neighbours.",
                     "对位置表 `P` 的每一列减去均值后做奇异值分解；与正弦编码做普氏对齐；"
                     "由四个邻居预测时相对持续性预报的技巧评分。"},
      .source = {"own; after Wang and Chen 2020, section 4", "自有；参照 Wang 与 Chen 2020，第 4 节"},
      .null = {"a phase-randomised surrogate of each column, 20 draws", "对每列做相位随机化的替代数据，20 次"},
      .control = {"sinusoids of the same width", "同样宽度的正弦编码"},
      .rules = {},
      .answer = answer};
  for (auto& id : ids) result.rules.push_back(rule(std::move(id)));
  return result;
}

const std::vector<Experiment>& made_up() {
  static const std::vector<Experiment> experiments{
      experiment("component-curves", {"Do components follow position?", "主成分随位置变化吗？"}, {"E1", "E3", "E2"}),
      experiment("taking-apart", {"Can the sum be taken apart?", "和可以拆开吗？"}, {"0.1", "3.1"}),
      experiment("distance", {"Is distance all?", "只看距离就够了吗？"}, {"4.1"})};
  return experiments;
}

Numbers numbers_of_e1() {
  Numbers numbers;
  numbers.add({.name = "period",
               .label = {"period of the first component, positions", "第一主成分的周期（位置数）"},
               .value = 203.71,
               .interval = Interval{187.2, 221.9},
               .null =
                   ReferenceValue{
                       96.4, Interval{12.03, 311.8}, {"phase-randomised, median of 20", "相位随机化，20 次的中位数"}},
               .control = ReferenceValue{200, {}, {"sinusoid", "正弦编码"}}});
  numbers.add({.name = "components_above_1_percent",
               .label = {"components above 1 %", "解释方差超过 1% 的成分数"},
               .value = 12,
               .null = ReferenceValue{0, Interval{0, 0}, {"white noise", "白噪声"}}});
  numbers.add({.name = "tiny", .label = {"leak, nats", "泄漏（nat）"}, .value = -0.00001234567});
  numbers.add(
      {.name = "missing", .label = {"skill over persistence", "相对持续性预报的技巧评分"}, .value = kNotANumber});
  return numbers;
}

ExperimentResult first() {
  ExperimentResult report{.experiment = &made_up()[0], .findings = {}, .verdicts = {}, .seconds = 12.3456};
  report.findings.numbers["E1"] = numbers_of_e1();
  report.findings.numbers["E3"].add(
      {.name = "share", .label = {"share of the first four", "前四个的占比"}, .value = 0.98765, .interval = {}});
  report.findings.numbers["E3"].add({.name = "operations",
                                     .label = {"operations, over the sum's", "运算量与和之比"},
                                     .value = 3458.5,
                                     .null = ReferenceValue{2.125, {}, {"half of one", "一半"}}});
  report.verdicts["E1"] = {
      Observation::holds,
      Inference::does_not_follow,
      {"The period lies within what smoothness alone gives.", "该周期在平滑性本身所能给出的范围之内。"}};
  report.verdicts["E2"] = {
      Observation::fails, Inference::not_tested, {"The surrogate has the same blocks.", "替代数据也有同样的块。"}};
  report.verdicts["E3"] = {
      Observation::cannot_be_told, Inference::follows, {"Between the two.", "介于两者之间。"}, "operations"};
  report.findings.figures = {curves(), scatter(), bars(), small_map(), product_map(), ternary_map()};
  report.findings.remarks = {{"Positions above 512 are not there.", "512 以上的位置不存在。"},
                             {"GPT-2 has -0.94 (-.5) at 0-512, below 1e-3 in `p[-1]`.",
                              "GPT-2 在 0-512 处为-0.94 (-.5)，`p[-1]` 中低于 1e-3。"}};
  report.findings.left_out = {{"180 of 200 bootstrap draws", "200 次自助抽样中的 180 次"}};
  return report;
}

ExperimentResult second() {
  ExperimentResult report{.experiment = &made_up()[1], .findings = {}, .verdicts = {}, .seconds = 0.0421};
  report.findings.numbers["0.1"].add(
      {.name = "largest_difference", .label = {"largest difference", "最大差"}, .value = 0, .interval = {}});
  report.verdicts["0.1"] = {Observation::holds, Inference::follows, {"Exactly, by algebra.", "由代数可知严格成立。"}};
  report.findings.gaps["3.1"] = {"this table comes without tokens", "此表不含词元嵌入"};
  report.findings.figures = {facets(), side_by_side(), long_names()};
  return report;
}

}  // namespace

Ledger ledger() {
  static const std::vector<Document> documents{
      {"000", {"Why can they be added?", "为什么可以相加？"}, ""},
      {"001", {"Zhihu question 374835153", "知乎问题 374835153"}, "https://www.zhihu.com/question/374835153"},
      {"002",
       {"A notebook on BERT's position embeddings", "关于 BERT 位置嵌入的笔记"},
       "https://github.com/Lintianqianjin/NLP-models"},
      {"003",
       {"Stack Exchange question 35990", "Stack Exchange 问题 35990"},
       "https://ai.stackexchange.com/questions/35990"},
      {"004",
       {"Transformer's position encodings that rack researchers' brains", "让研究人员绞尽脑汁的Transformer位置编码"},
       "https://kexue.fm/archives/8130"}};
  static const std::vector<Claim> claims = make_claims();
  return {documents, claims};
}

RunFacts facts() {
  return {.checkpoint = "all-MiniLM-L6-v2",
          .path = "models/all-MiniLM-L6-v2",
          .checkpoint_hash = "0123456789abcdef",
          .sizes = {{"layers", {"layers", "层数"}, "6"},
                    {"hidden", {"hidden", "隐藏宽度"}, "384"},
                    {"positions", {"positions", "位置数"}, "512"},
                    {"vocabulary", {"vocabulary", "词表大小"}, "30522"}},
          .corpus = {"english (built in), 60 texts", "english（内置），60 条文本"},
          .corpus_warning = {"31 % of the corpus' tokens are [UNK]", "语料的词元中 31% 是 [UNK]"},
          .corpus_hash = "fedcba9876543210",
          .seed = 20240229,
          .quick = true,
          .versions = {{"summand", "0.1.0"}, {"eigen", "3.4.0"}, {"vega-lite", "6.4"}},
          .command = "summand lab --model models/all-MiniLM-L6-v2 --seed 20240229 --quick -o report"};
}

namespace {

JudgedTruths judged_truths(VerdictCounts counts, Rate stable, Quantiles number) {
  return {.counts = counts, .stable = stable, .number = number};
}

CalibratedClaim calibrated(std::string id, std::string hash) {
  return {
      .claim = std::move(id),
      .experiment = "component-curves",
      .rule = std::move(hash),
      .version = "0.1.0",
      .number = "period",
      .label = {"period of the first component, positions", "第一主成分的周期（位置数）"},
      .thresholds = {{"least", 0.4}, {"most", 0.7}},
      .lacking = {},
      .families = {
          {.name = "waves",
           .words = {"components that are one sinusoid each, of 2 to 60 cycles, under noise of 0.1 to 0.5",
                     "每个主成分是一条正弦曲线，2 至 60 个周期，噪声 0.1 至 0.5"},
           .size = "192 x 48",
           .is_true = true,
           .quick = judged_truths({.holds = 96, .cannot_be_told = 4}, {9, 10}, {0.71, 0.84, 0.9, 0.95, 0.99}),
           .full = judged_truths({.holds = 40}, {3, 3}, {0.8, 0.9, 0.93, 0.96, 0.99})},
          {.name = "noise",
           .words = {"white noise", "白噪声"},
           .size = "192 x 48",
           .is_true = false,
           .quick = judged_truths({.holds = 2, .fails = 90, .cannot_be_told = 8}, {7, 10}, {0.02, 0.1, 0.15, 0.3, 0.6}),
           .full = judged_truths({.fails = 40}, {3, 3}, {0.02, 0.1, 0.14, 0.2, 0.3})}}};
}

}  // namespace

Calibration calibration() {
  Calibration rules;
  rules.claims.push_back(calibrated("E1", rule_hash(made_up()[0].rules[0])));
  CalibratedClaim changed = calibrated("0.1", "0123456789abcdef");
  for (auto& family : changed.families) family.quick->number = Quantiles{1e-5, 0.002, 0.3, 40, 1000};
  changed.thresholds.clear();
  rules.claims.push_back(std::move(changed));
  CalibratedClaim one_sided = calibrated("4.1", rule_hash(made_up()[2].rules[0]));
  one_sided.lacking = {"nothing true can be planted: a normalisation leaves the mix",
                       "无法构造为真的样例：归一化不改变比例"};
  one_sided.families.erase(one_sided.families.begin());
  one_sided.families.front().full.reset();
  one_sided.families.front().quick->number.reset();
  rules.claims.push_back(std::move(one_sided));
  rules.without.push_back({"E3", "component-curves", {"a question, which has no verdict", "只是提问，没有判定"}});
  return rules;
}

std::vector<ExperimentResult> reports() {
  return {first(), second(), {&made_up()[2], {}, {}, 0}};
}

}  // namespace summand::lab::sample
