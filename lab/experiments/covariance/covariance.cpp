// 4.6: are the diagonals of the embeddings' covariances larger than the rest, and would that say anything of H?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/covariance/hessian_diagonal.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kClearly = 2;  // mean diagonal entry, in mean other entries
constexpr double kNotLarger = 1.2;
constexpr double kMostOfEnergy = 0.5;
constexpr Eigen::Index kQuickRows = 4000;
constexpr size_t kLeastCovarianceRows = 8;

DiagonalDominance dominance_of(const Table& table) {
  const Table around = centred(table);
  const Table covariance = around.transpose() * around / static_cast<double>(table.rows());
  return diagonal_dominance(covariance);
}

/// All columns follow one common course, with a tenth of their own.
Table one_factor(Shape shape, RandomStream& stream) {
  const Table factor = white_noise({shape.rows, 1}, stream);
  Table table = 0.1 * white_noise(shape, stream);
  table.colwise() += factor.col(0);
  return table;
}

/// A table of the checkpoint, or rows of it.
struct Looked {
  std::string name;
  Words words;
  Table rows;
};

/// Whether a covariance has off-diagonal entries to be compared: one constant column among two has not.
bool can_be_told(const Table& table) {
  if (lacking(table, kLeastCovarianceRows, 2) || table.cols() < 3) return false;
  return true;
}

Figure bars(const std::vector<std::pair<Words, DiagonalDominance>>& tables) {
  using namespace chart;
  std::vector<Words> of;
  std::vector<double> ratio;
  std::vector<double> off;
  for (const auto& [name, dominance] : tables) {
    of.push_back(name);
    ratio.push_back(dominance.ratio);
    off.push_back(dominance.off_norm);
  }
  const auto bar = [&](const char* field, const Words& title) {
    return mark({{"type", "bar"}}, {{"y", listed("of", {"table", "表"})}, {"x", number(field, title, ".2f")}});
  };
  return {.name = "covariance-dominance",
          .title = {"The covariances' diagonals", "协方差矩阵的对角线"},
          .caption =
              {"Two ways to ask whether a covariance is nearly diagonal. Left, its mean diagonal entry over the mean "
               "other one, largest for noise; right, all the others together, which are many, beside the diagonal. "
               "Large values left and right say opposite things.",
               "检验协方差是否近似对角的两种方法。左：对角平均与其余平均之比，噪声最大；右：为数众多的其余元素合计与对"
               "角之比。"
               "两边数值都大时，结论相反。"},
          .specification = side_by_side({bar("ratio", {"mean diagonal / mean other", "对角平均 / 其余平均"}),
                                         bar("off", {"‖others‖ / ‖diagonal‖", "‖其余‖ / ‖对角‖"})},
                                        {.least = 300, .most = 2, .axis = 38, .height = height_of(tables.size())}),
          .data = FigureData{{{"of", of}, {"ratio", ratio}, {"off", off}}}};
}

Findings run_covariance(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  std::vector<Looked> tables{{"position", {"positions", "位置"}, subject.positions}};
  if (subject.tokens.rows() > 0) {
    const auto rows = conditions.quick ? std::min(kQuickRows, subject.tokens.rows()) : subject.tokens.rows();
    if (rows < subject.tokens.rows()) {
      findings.left_out.push_back({fmt::format("{} of {} token rows", rows, subject.tokens.rows()),
                                   fmt::format("{} 行词元（共 {} 行）", rows, subject.tokens.rows())});
    }
    tables.push_back({"token", {"tokens", "词元"}, subject.tokens.topRows(rows)});
  }
  if (std::ranges::any_of(tables, [](const Looked& one) { return !can_be_told(one.rows); })) {
    findings.gaps["4.6"] = {
        fmt::format("needs at least {} rows that differ in 2 directions of 3 coordinates", kLeastCovarianceRows),
        fmt::format("需要至少 {} 行，3 个维度且在 2 个方向上有差异", kLeastCovarianceRows)};
    return findings;
  }
  Numbers& numbers = findings.numbers["4.6"];
  std::vector<std::pair<Words, DiagonalDominance>> shown;
  for (size_t i = 0; i < tables.size(); ++i) {
    const auto& one = tables[i];
    const Shape shape{.rows = static_cast<size_t>(one.rows.rows()), .columns = static_cast<size_t>(one.rows.cols())};
    RandomStream noise_stream(conditions.seed, "covariance: white noise " + one.name);
    RandomStream factor_stream(conditions.seed, "covariance: one factor " + one.name);
    RandomStream turn_stream(conditions.seed, "covariance: rotation " + one.name);
    const auto own = dominance_of(one.rows);
    const auto noise = dominance_of(white_noise(shape, noise_stream));
    const auto factor = dominance_of(one_factor(shape, factor_stream));
    const auto turned = dominance_of(rotated(one.rows, turn_stream));
    const Words of_null{"columns of one common course", "各列同一走势"};
    const Words of_control{"white noise of the same shape", "同形状的白噪声"};
    const auto add = [&](const std::string& name, const Words& label, double DiagonalDominance::*of, double value) {
      numbers.add(
          Measured(one.name + "_" + name, {one.words.en + ": " + label.en, one.words.zh + "：" + label.zh}, value)
              .null(factor.*of, of_null)
              .control(noise.*of, of_control));
    };
    add("ratio", {"mean diagonal entry / mean other entry", "对角平均 / 其余平均"}, &DiagonalDominance::ratio,
        own.ratio);
    add("off_norm", {"‖others‖ / ‖diagonal‖", "‖其余‖ / ‖对角‖"}, &DiagonalDominance::off_norm, own.off_norm);
    add("ratio_rotated", {"the ratio after a random rotation", "随机旋转后的比值"}, &DiagonalDominance::ratio,
        turned.ratio);
    const auto outlying = one.name == "position" ? outlying_rows(one.rows) : std::vector<size_t>{};
    if (!outlying.empty()) {
      const auto others = dominance_of(without_rows(one.rows, outlying));
      const Words rows = list_of(outlying);
      add("ratio_without_outlying_rows", {"the ratio without rows " + rows.en, "去掉以下行之后的比值：" + rows.zh},
          &DiagonalDominance::ratio, others.ratio);
      shown.emplace_back(Words{"positions without outlying rows", "去掉突出行的位置"}, others);
    }
    shown.emplace_back(one.words, own);
    shown.emplace_back(Words{"white noise, shaped as " + one.words.en, "白噪声，形状同" + one.words.zh}, noise);
    conditions.progress(0.2 * static_cast<double>(i + 1) / static_cast<double>(tables.size()));
  }
  findings.figures = {bars(shown)};
  measure_hessian_diagonal(subject, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// The numbers by this ending, of every table there is.
std::vector<Number> ending(const Numbers& numbers, const std::string& end) {
  std::vector<Number> found;
  for (const auto& one : numbers.all()) {
    if (one.name.ends_with(end)) found.push_back(one);
  }
  return found;
}

Verdict judge_covariance(const Numbers& numbers) {
  const auto ratios = ending(numbers, "_ratio");
  const auto off = ending(numbers, "_off_norm");
  const auto all = [&](const auto& holds) { return std::ranges::all_of(ratios, holds); };
  const auto any = [&](const auto& holds) { return std::ranges::any_of(ratios, holds); };
  const bool noise_passes = all([](const Number& one) { return one.control->value >= kClearly; });
  Verdict verdict;
  if (any([](const Number& one) { return one.null->value >= kClearly; })) {
    verdict.observation = Observation::cannot_be_told;
  } else if (all([](const Number& one) { return one.value >= kClearly; })) {
    verdict.observation = Observation::holds;
  } else if (any([](const Number& one) { return one.value < kNotLarger; })) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const auto measured = ending(numbers, kHessianShare);
  if (noise_passes) {
    verdict.inference = Inference::does_not_follow;
  } else if (!measured.empty()) {
    verdict.inference = measured.front().value >= kMostOfEnergy ? Inference::follows : Inference::does_not_follow;
  }
  const auto& own = ratios.front();
  Words of_h;
  if (!measured.empty()) {
    of_h = {fmt::format("; of the model's own H the diagonal has {:.3f} of the energy, along random directions {:.3f}",
                        measured.front().value, measured.front().null->value),
            fmt::format("；模型自己的 H 中对角线占能量的 {:.3f}，沿随机方向为 {:.3f}", measured.front().value,
                        measured.front().null->value)};
  }
  verdict.reason = {
      fmt::format("the positions' diagonal is {:.1f} times the mean other entry, pure noise's {:.1f}; all others "
                  "together are {:.2f} of the diagonal ({:.2f}){}{}",
                  own.value, own.control->value, off.front().value, off.front().control->value,
                  ratios.size() > 1 ? fmt::format("; the tokens' {:.1f} times, noise {:.1f}", ratios[1].value,
                                                  ratios[1].control->value)
                                    : std::string(),
                  of_h.en),
      fmt::format(
          "位置的对角元素是其余平均的 {:.1f} 倍，纯噪声为 {:.1f} 倍；其余合计为对角的 {:.2f}（噪声 {:.2f}）{}{}",
          own.value, own.control->value, off.front().value, off.front().control->value,
          ratios.size() > 1
              ? fmt::format("；词元为 {:.1f} 倍，噪声 {:.1f} 倍", ratios[1].value, ratios[1].control->value)
              : std::string(),
          of_h.zh)};
  return verdict;
}

Words answer_covariance(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("4.6")) return findings.gaps.at("4.6");
  const Numbers& numbers = findings.numbers.at("4.6");
  const auto measured = ending(numbers, kHessianShare);
  Words then{"And a covariance of embeddings is not the second derivative H.", "况且嵌入的协方差并不是二阶导数 H。"};
  if (!measured.empty()) {
    then = {fmt::format("Of H itself, measured, the diagonal has {:.1f} % of the energy; along random directions "
                        "{:.1f} %.",
                        100 * measured.front().value, 100 * measured.front().null->value),
            fmt::format("实测的 H 中，对角线占能量的 {:.1f}%；沿随机方向为 {:.1f}%。", 100 * measured.front().value,
                        100 * measured.front().null->value)};
  }
  return {
      fmt::format("The diagonal of the positions' covariance is {:.1f} times its mean other entry, and pure noise's "
                  "{:.1f} times: to pass it takes no structure. {}",
                  numbers.value("position_ratio"), numbers.control("position_ratio"), then.en),
      fmt::format("位置协方差的对角元素是其余平均的 {:.1f} 倍，而纯噪声是 {:.1f} "
                  "倍：通过这项检查不需要任何结构。{}",
                  numbers.value("position_ratio"), numbers.control("position_ratio"), then.zh)};
}

}  // namespace

Experiment covariance_experiment() {
  return {.name = "covariance",
          .effort = 25,
          .title = {"The covariances' diagonals", "协方差矩阵的对角线"},
          .question = {"Do the diagonals of the embeddings' covariances stand out, and does that make H diagonal?",
                       "嵌入协方差矩阵的对角线突出吗？这能说明 H 近似对角吗？"},
          .definition =
              {"Covariance of the columns of the position table and of the token table: mean size of a diagonal "
               "entry over that of another one, and the Frobenius norm of all others over the diagonal's; also "
               "after a random rotation, which no model of the sum could tell. And H itself, ∂²f/∂x_m∂x_n between two "
               "tokens, exact by dual numbers, on sampled coordinates: its diagonal's share of the energy, beside "
               "the same along random directions; and the form W_Qᵀ W_K of the first layer's logits, head by head.",
               "位置表与词元表各列的协方差：对角元素平均大小与其余元素平均大小之比，其余元素与对角线的 Frobenius "
               "范数之比；以及随机旋转之后。再直接测量 H，即两个词元之间的 "
               "∂²f/∂x_m∂x_n（对偶数，精确），在抽样的坐标上求对角"
               "线所占能量，与沿随机方向的结果并列；以及第一层各头 logits 的形式 W_Qᵀ W_K。"},
          .source = {"document 004; own", "文档 004；自定义"},
          .null = {"a table whose columns follow one common course", "各列同一走势的表"},
          .control = {"white noise of the same shape, which has no structure at all: that it passes is the point",
                      "同形状的白噪声，毫无结构：它也通过，这正是问题所在"},
          .rules =
              {{.claim = "4.6",
                .observation = {"holds if in every table the mean diagonal entry is at least twice the mean other one; "
                                "fails if in one it is below 1.2 times; otherwise, or if columns of one course reach "
                                "twice, it cannot be told",
                                "每张表的对角平均达到其余平均的 2 倍则成立；有一张低于 1.2 "
                                "倍则不成立；其余情形，或同一走势的列达到 2 倍时，无法判断"},
                .inference =
                    {"that H is dominated by its diagonal does not follow if pure noise of the same shape "
                     "passes too; else it follows if the diagonal of the measured H has half of its energy, and "
                     "does not otherwise; without a model it is not tested",
                     "若同形状的纯噪声也达到 2 倍，则“H 以对角线为主”推不出；否则看实测 H 的对角线是否占能量的一半："
                     "是则推得出，否则推不出；没有模型则未检验"},
                .judge = judge_covariance}},
          .run = run_covariance,
          .answer = answer_covariance};
}

}  // namespace summand::lab
