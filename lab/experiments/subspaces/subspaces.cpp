// 0.2, 0.6 and 0.10: do the three tables share directions, and is the sum a concatenation in disguise?
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/subspaces/addend_sparsity.hpp"
#include "lab/experiments/subspaces/shared_directions.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kMuch = 0.3;  // of s₁ − s₀
constexpr double kOverlapLevel = 0.01;
constexpr double kPlantedShare = 0.9;  // of a control
constexpr double kSparser = 0.02;      // of Hoyer's measure

Figure overlap_figure(const Table& directions, const Table& positions) {
  constexpr Index kGroups = 24;
  MatrixData matrix{
      .rows = kSharedComponents,
      .columns = 0,
      .values = {},
      .row_label = {"component of positions", "位置的主成分"},
      .column_label = {"group of the tokens' components, largest variance first", "词元主成分分组，方差由大到小"},
      .value_label = {"energy over chance", "能量与随机水平之比"},
      .low = 0,
      .high = 3,
      .scale = MatrixData::Scale::sequential};
  const Index groups = std::min(kGroups, directions.rows());
  matrix.columns = static_cast<size_t>(groups);
  const Table squares = (positions * directions.transpose()).cwiseAbs2();
  for (Index p = 0; p < squares.rows(); ++p) {
    for (Index g = 0; g < groups; ++g) {
      const Index first = g * squares.cols() / groups;
      const Index end = (g + 1) * squares.cols() / groups;
      const double chance = static_cast<double>(end - first) / static_cast<double>(positions.cols());
      matrix.values.push_back(static_cast<float>(squares.row(p).segment(first, end - first).sum() / chance));
    }
  }
  return {.name = "subspaces-overlap",
          .title = {"Where the positions' directions lie among the tokens'", "位置方向落在词元的哪些方向上"},
          .caption = {"1 is chance. A concatenation in disguise would put everything where tokens have no variance: at "
                      "the right end.",
                      "1 为随机水平。若是变相的拼接，能量应全部落在词元没有方差之处：最右端。"},
          .specification = {},
          .data = std::move(matrix)};
}

Figure coordinates_figure(const Table& positions) {
  using namespace chart;
  const Vector energy = positions.cwiseAbs2().colwise().sum().transpose();
  std::vector<double> coordinate(static_cast<size_t>(energy.size()));
  std::iota(coordinate.begin(), coordinate.end(), 0.0);
  const double even = static_cast<double>(kSharedComponents) / static_cast<double>(energy.size());
  return {
      .name = "subspaces-coordinates",
      .title = {"Is it a concatenation?", "是拼接吗？"},
      .caption = {"What each coordinate has of the positions' first 16 directions; the most is 1. Dashed: if all had "
                  "the same.",
                  "每个坐标在位置前 16 个方向中的能量，最大为 1。虚线：均匀分布时。"},
      .specification =
          layers({mark({{"type", "bar"}, {"size", 1.5}}, {{"x", whole("coordinate", {"coordinate", "坐标"})},
                                                          {"y", number("energy", {"energy", "能量"})}}),
                  rule("y", even)}),
      .data = FigureData{{{"coordinate", coordinate}, {"energy", std::vector<double>(energy.begin(), energy.end())}}}};
}

std::optional<Words> lacks_subspaces(const Subject& subject) {
  const auto least = static_cast<Index>(2 * kSharedComponents);
  if (subject.positions.rows() < least || subject.positions.cols() < 2 * least || subject.tokens.rows() < 2 * least) {
    return Words{fmt::format("needs {} positions, {} dimensions and {} tokens", least, 2 * least, 2 * least),
                 fmt::format("需要 {} 个位置、{} 个维度和 {} 个词元", least, 2 * least, 2 * least)};
  }
  return {};
}

Findings run_subspaces(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  if (!lacking) lacking = lacks_subspaces(subject);
  InputParts parts;
  std::optional<Bases> found;
  if (!lacking) {
    parts = input_parts(subject);
    found = bases_of(parts);
    if (!found) {
      lacking = Words{"the position table has fewer than 16 directions, or the tokens are all equal",
                      "位置表不足 16 个方向，或词元全部相等"};
    }
  }
  if (lacking) {
    for (const char* claim : {"0.2", "0.6", "0.10"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const Bases& bases = *found;
  conditions.progress(0.3);
  const CorpusItems corpus = corpus_items(subject);
  if (conditions.quick) {
    findings.left_out.push_back({"100 random rotations instead of 1,000, 100 tokens' sparsity instead of 400",
                                 "随机旋转 100 次而非 1000 次，稀疏度取 100 个词元而非 400 个"});
  }
  measure_segment(subject, bases, corpus, conditions, findings);
  conditions.progress(0.5);
  measure_overlap(parts, bases, conditions, findings);
  conditions.progress(0.9);
  measure_sparsity(subject, corpus, conditions, findings);
  findings.figures.push_back(overlap_figure(bases.directions, bases.positions));
  findings.figures.push_back(coordinates_figure(bases.positions));
  conditions.progress(1);
  return findings;
}

Verdict judge_segment(const Numbers& numbers) {
  const double share = numbers.value("share_inside");
  Verdict verdict;
  if (numbers.control("share_inside") < kPlantedShare) {
    verdict.observation = Observation::cannot_be_told;
  } else if (share >= kMuch && numbers.value("p") < kOverlapLevel) {
    verdict.observation = Observation::holds;
  } else if (share <= numbers.at("share_inside").null->interval->high) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format("{:.2f} of s₁ − s₀ lies in the positions' first 16 components, by chance {:.3f}; whether "
                  "that costs anything, only training tells",
                  share, numbers.null("share_inside")),
      fmt::format("s₁ − s₀ 有 {:.2f} 落在位置前 16 个主成分内，随机水平为 {:.3f}；是否有代价，只有训练能回答", share,
                  numbers.null("share_inside"))};
  return verdict;
}

Verdict judge_overlap(const Numbers& numbers) {
  const double overlap = numbers.value("overlap");
  const Interval chance = *numbers.at("overlap").null->interval;
  Verdict verdict;
  if (numbers.control("overlap") >= chance.low) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = overlap < chance.low    ? Observation::holds
                          : overlap > chance.high ? Observation::fails
                                                  : Observation::cannot_be_told;
  }
  verdict.inference = verdict.observation == Observation::holds ? Inference::not_tested : Inference::does_not_follow;
  verdict.reason = {
      fmt::format(
          "{:.2f} of the positions' first 16 directions lie in the tokens' first quarter, by chance {:.2f} ({:.2f} "
          "to {:.2f}); {:.0f} coordinates hold half of them, by chance {:.0f}",
          overlap, numbers.null("overlap"), chance.low, chance.high, numbers.value("coordinates_of_half"),
          numbers.null("coordinates_of_half")),
      fmt::format("位置前 16 个方向有 {:.2f} 落在词元前四分之一主成分内，随机水平 {:.2f}（{:.2f} 至 {:.2f}）；{:.0f} "
                  "个坐标占其一半能量，"
                  "随机水平 {:.0f} 个",
                  overlap, numbers.null("overlap"), chance.low, chance.high, numbers.value("coordinates_of_half"),
                  numbers.null("coordinates_of_half"))};
  return verdict;
}

Verdict judge_sparsity(const Numbers& numbers) {
  const double beyond = numbers.value("lost") - numbers.null("lost");
  Verdict verdict;
  if (numbers.control("lost") - numbers.null("lost") < kSparser) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = beyond >= kSparser ? Observation::holds : Observation::fails;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format("side by side the rows have a sparsity of {:.3f}, summed {:.3f}; of dense rows of the same "
                  "norms {:.3f} and {:.3f}",
                  numbers.value("sparsity_concatenation"), numbers.value("sparsity_sum"),
                  numbers.null("sparsity_concatenation"), numbers.null("sparsity_sum")),
      fmt::format("并列时稀疏度为 {:.3f}，相加后为 {:.3f}；模长相同的稠密行为 {:.3f} 与 {:.3f}",
                  numbers.value("sparsity_concatenation"), numbers.value("sparsity_sum"),
                  numbers.null("sparsity_concatenation"), numbers.null("sparsity_sum"))};
  return verdict;
}

Words answer_subspaces(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.6")) return findings.gaps.at("0.6");
  const Numbers& numbers = findings.numbers.at("0.6");
  const auto seen = verdicts.at("0.6").observation;
  const Words relation = seen == Observation::holds   ? Words{"less than chance", "低于随机水平"}
                         : seen == Observation::fails ? Words{"more than chance", "高于随机水平"}
                                                      : Words{"no more or less than chance", "与随机水平无异"};
  return {
      fmt::format("Positions and tokens share directions {}: {:.2f} against {:.2f}. Half of the positions' directions "
                  "lies on {:.0f} coordinates, {:.0f} by chance: {}",
                  relation.en, numbers.value("overlap"), numbers.null("overlap"), numbers.value("coordinates_of_half"),
                  numbers.null("coordinates_of_half"),
                  numbers.value("coordinate_sparsity") > numbers.at("coordinate_sparsity").null->interval->high
                      ? "sparser than a random table; a concatenation would need 8."
                      : "nothing of a concatenation."),
      fmt::format("位置与词元共享方向的程度{}：{:.2f} 对 {:.2f}。位置方向的一半能量在 {:.0f} 个坐标上，随机水平为 "
                  "{:.0f} 个：{}",
                  relation.zh, numbers.value("overlap"), numbers.null("overlap"), numbers.value("coordinates_of_half"),
                  numbers.null("coordinates_of_half"),
                  numbers.value("coordinate_sparsity") > numbers.at("coordinate_sparsity").null->interval->high
                      ? "比随机表稀疏，拼接只需 8 个。"
                      : "没有拼接的迹象。")};
}

}  // namespace

Experiment subspaces_experiment() {
  return {
      .name = "subspaces",
      .title = {"Which directions they share", "它们共享哪些方向"},
      .question = {"Do positions, tokens and segments share directions, or keep apart as in a concatenation?",
                   "位置、词元与片段共享方向，还是像拼接那样各占一处？"},
      .definition =
          {"Of the centred tables: the share of s₁ − s₀ in the first 16 components of P; tr(Π_P Π_W)/16 with the "
           "first (and last) quarter of W's components, and the principal angles; Σ v² over coordinates of P's "
           "first 16 directions, its Hoyer sparsity; Hoyer sparsity of rows side by side and summed.",
           "对中心化的表：s₁ − s₀ 在 P 前 16 个主成分内的比例；与 W 前（后）四分之一主成分的 tr(Π_P Π_W)/16 及主角；P "
           "前 "
           "16 个方向在各坐标上的 Σ v² 及其 Hoyer 稀疏度；并列与相加后的 Hoyer 稀疏度。"},
      .source = {"document 000; Björck & Golub 1973; Hoyer 2004; james-simon.github.io 2024 on GPT-2",
                 "文档 000；Björck & Golub 1973；Hoyer 2004；james-simon.github.io 2024（关于 GPT-2）"},
      .null = {"positions turned by random rotations; a random direction; each table turned by its own",
               "位置表随机旋转；随机方向；各表各自旋转"},
      .control = {"the positions', or the tokens', first component as a segment; positions outside the tokens' "
                  "components, or on 16 coordinates; tokens made sparse",
                  "以位置表或词元表的第一主成分为片段；位于词元主成分之外、或独占 16 "
                  "个坐标的位置表；变稀疏的词元"},
      .rules =
          {{.claim = "0.2",
            .observation =
                {"holds if at least .3 of s₁ − s₀ lies inside and p < .01; fails if no more than 95 % of "
                 "random directions have; otherwise, or if the control has less than .9, it cannot be told",
                 "s₁ − s₀ 至少有 .3 落在其中且 p < .01 则成立；不超过 95% 的随机方向则不成立；其余情形，或对照不足 "
                 ".9 时，无法判断"},
            .inference = {"that adding brings redundancy or conflict does not follow if they are unrelated; otherwise "
                          "not tested: that needs training",
                          "若两者无关，则“相加带来冗余或冲突”推不出；否则未检验：需要训练"},
            .judge = judge_segment},
           {.claim = "0.6",
            .observation =
                {"holds if positions overlap the tokens' first quarter less than 95 % of random rotations "
                 "do; fails if more; otherwise, or if the control is within that band, it cannot be told",
                 "位置与词元前四分之一的重叠低于 95% 的随机旋转则成立；高于则不成立；其余情形，或对照落在该范围内"
                 "时，无法判断"},
            .inference = {"that training disentangled the parts does not follow if they overlap as random tables do, "
                          "or more; otherwise not tested: that needs the same tables before training",
                          "若重叠与随机表相当或更多，则“训练使之解耦”推不出；否则未检验：需要训练前的同一组表"},
            .judge = judge_overlap},
           {.claim = "0.10",
            .observation =
                {"holds if side by side rows are sparser than summed ones by .02 more than dense rows of "
                 "the same norms; fails otherwise; if the control is not, it cannot be told",
                 "并列比相加更稀疏，且超出同模长稠密行 .02 以上则成立；否则不成立；若对照也达不到，则无法判断"},
            .inference = {"that adding costs sparsity does not follow if there was none to lose; otherwise not tested",
                          "若本无稀疏可失，则“相加降低稀疏性”推不出；否则未检验"},
            .judge = judge_sparsity}},
      .run = run_subspaces,
      .answer = answer_subspaces};
}

}  // namespace summand::lab
