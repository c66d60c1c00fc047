// 4.10: which components, and which periods, of the position table does the model use, and how many are enough?
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/removed_components/piece_bench.hpp"
#include "lab/experiments/removed_components/piece_figures.hpp"
#include "lab/experiments/removed_components/piece_numbers.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kEnough = 0.95;        // of what all components do: what a reader would call the same output
constexpr size_t kFew = 16;             // components: what "the first few dimensions" may be at most, and
constexpr size_t kFewOfDimensions = 8;  // … no more than one of so many
constexpr double kLeastEffect = 1e-6;   // of all positions, on 1 − cosine: below it there is nothing to keep
constexpr size_t kShortestMasked = 4;   // tokens
constexpr size_t kLeastPositions = 8;   // for bands
constexpr size_t kLeastComponents = 4;

struct Size {
  size_t texts = 24;
  size_t longest = 64;  // tokens
  size_t components = 24;
  size_t resamplings = 500;
  std::vector<size_t> kept{1, 2, 4, 8, 16, 32, 64, 128};

  static Size of(const Conditions& conditions) {
    if (!conditions.quick) return {};
    return {.texts = 6, .longest = 24, .components = 6, .resamplings = 100, .kept = {1, 4, 16, 64}};
  }
};

size_t few_of(const PieceBench& bench) {
  return std::clamp<size_t>(static_cast<size_t>(bench.pieces().table().cols()) / kFewOfDimensions, 1, kFew);
}

/// The checkpoint's table, one that needs every dimension, and one that has half as many as are few.
struct Benches {
  PieceBench own, white, narrow;

  Benches(const Subject& subject, const Conditions& conditions, const Texts& texts, const Draws& draws)
      : own(subject, conditions, subject.positions, texts, draws),
        white(subject, conditions, noise(subject.positions, conditions), texts, draws),
        narrow(subject, conditions, own.pieces().first_components(std::max<size_t>(1, few_of(own) / 2)), texts, draws) {
  }

  /// As large as the table's deviations, around its mean row.
  static Table noise(const Table& positions, const Conditions& conditions) {
    RandomStream stream(conditions.seed, "removed components: noise");
    const Table around = centred(positions);
    Table rows = white_noise({static_cast<size_t>(positions.rows()), static_cast<size_t>(positions.cols())}, stream);
    rows *= around.norm() / rows.norm();
    return rows.rowwise() + column_means(positions).transpose();
  }
};

const Words kWhite{"white noise in place of the table, as large", "以同样大小的白噪声代替此表"};
Words words_of_narrow(const Benches& benches) {
  const size_t components = benches.narrow.pieces().components();
  return {fmt::format("the table's first {} components alone as the whole table", components),
          fmt::format("整张表只由其前 {} 个主成分构成", components)};
}

/// Measures one thing of all three benches.
class BesideBenches {
 public:
  BesideBenches(const Benches& benches, Numbers& numbers)
      : benches_(benches), numbers_(numbers), narrow_(words_of_narrow(benches)) {}

  template <class Of>
  void add(const std::string& name, const Words& label, const Of& of) const {
    numbers_.add(
        Measured(name, label, of(benches_.own)).null(of(benches_.white), kWhite).control(of(benches_.narrow), narrow_));
  }
  template <class Of>
  void add_kept(const std::string& name, const Words& label, const Of& of) const {
    const Kept own = of(benches_.own);
    numbers_.add(Measured(name, label, own.value)
                     .interval(own.interval)
                     .null(of(benches_.white).value, kWhite)
                     .control(of(benches_.narrow).value, narrow_));
  }

 private:
  const Benches& benches_;
  Numbers& numbers_;
  Words narrow_;
};

size_t told_apart_by(const PieceBench& bench, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "removed components: told apart");
  return bench.pieces().telling_apart(stream);
}

/// The least tried count that keeps enough; all components if none does.
size_t enough_of(const PieceBench& bench, const std::vector<size_t>& tried) {
  for (const size_t count : tried) {
    if (count < bench.pieces().components() && bench.kept_by(count).value >= kEnough) return count;
  }
  return bench.pieces().components();
}

void measure_kept(const Benches& benches, const Conditions& conditions, Findings& findings) {
  const Size size = Size::of(conditions);
  const size_t few = few_of(benches.own);
  const BesideBenches beside(benches, findings.numbers["4.10"]);
  const auto label = [](const std::string& en, const std::string& zh) {
    return Words{en + ": share kept of what the positions do to sentence vectors",
                 zh + "：位置对句向量的作用保留的比例"};
  };
  const auto kept_by = [](size_t count) { return [count](const PieceBench& bench) { return bench.kept_by(count); }; };
  beside.add_kept("kept_by_few", label(fmt::format("first {} components", few), fmt::format("前 {} 个主成分", few)),
                  kept_by(few));
  std::vector<KeptPoint> points;
  for (const size_t count : size.kept) {
    if (count >= benches.own.pieces().components()) break;
    if (count != few) {
      beside.add_kept(fmt::format("kept_by_{}", count),
                      label(fmt::format("first {} components", count), fmt::format("前 {} 个主成分", count)),
                      kept_by(count));
    }
    points.push_back({{"this table", "此表"}, count, benches.own.kept_by(count).value});
    points.push_back({{"white noise", "白噪声"}, count, benches.white.kept_by(count).value});
    points.push_back({{"a narrow table", "窄表"}, count, benches.narrow.kept_by(count).value});
  }
  beside.add_kept("kept_by_first_coordinates",
                  label(fmt::format("first {} coordinates", few), fmt::format("前 {} 个坐标", few)),
                  [few](const PieceBench& bench) { return bench.kept(bench.pieces().first_coordinates(few)); });
  beside.add_kept("kept_in_use_by_few",
                  label(fmt::format("first {} components of the rows that the texts use", few),
                        fmt::format("文本用到的各行的前 {} 个主成分", few)),
                  [few](const PieceBench& bench) { return bench.kept_in_use(few); });
  beside.add("enough", {"fewest components tried that keep .95 of it", "所试各数中保留 .95 所需的最少主成分"},
             [&](const PieceBench& bench) { return static_cast<double>(enough_of(bench, size.kept)); });
  beside.add("told_apart_by",
             {"fewest components that tell 99 % of the positions apart under noise of a tenth of their spread",
              "在其离散十分之一的噪声下，分辨 99% 的位置所需的最少主成分"},
             [&](const PieceBench& bench) { return static_cast<double>(told_apart_by(bench, conditions)); });
  beside.add_kept("kept_by_telling_apart", label("as many as tell positions apart", "足以分辨位置的那些主成分"),
                  [&](const PieceBench& bench) { return bench.kept_by(told_apart_by(bench, conditions)); });
  const auto few_kept = [few](const PieceBench& bench) {
    return bench.change(bench.pieces().first_components(few), CompareStates::all);
  };
  beside.add("few_states",
             {fmt::format("first {} components: last hidden states, 1 − CKA", few),
              fmt::format("前 {} 个主成分：末层隐状态，1 − CKA", few)},
             [&](const PieceBench& bench) { return few_kept(bench).states.back(); });
  if (benches.own.has_loss()) {
    beside.add("few_loss",
               {fmt::format("first {} components: change of masked-language loss, nats", few),
                fmt::format("前 {} 个主成分：掩码语言损失的变化，奈特", few)},
               [&](const PieceBench& bench) { return mean(few_kept(bench).losses); });
  }
  findings.figures.push_back(kept_figure(points, kEnough));
}

void add_remarks(const PieceBench& bench, const Conditions& conditions, Findings& findings) {
  if (conditions.quick) {
    findings.left_out.push_back(
        {"6 texts of 24 tokens instead of 24 of 64, 6 components instead of 24, 4 counts of "
         "kept ones instead of 8, 100 bootstrap samples instead of 500",
         "6 个长 24 的文本而非 24 个长 64 的，主成分 6 个而非 24 个，保留数 4 档而非 8 档，自助样本 100 "
         "个而非 500 个"});
  }
  findings.remarks.push_back(
      {"Components and bands are those of the whole table; texts use its first rows alone. The mean row always stays. "
       "Rows that stand out (as 0 or the last ones may) have parts in every band.",
       "主成分与周期段取自整张表，而文本只用到前面若干行。均值行始终保留。突出的行（如首行或末行）在每个周期段中都有成"
       "分。"});
  findings.remarks.push_back(
      {"What a trained model needs of its table does not say how narrow positions may be trained: that takes models "
       "trained with fewer dimensions, down to the scalar that the author speaks of.",
       "训练好的模型需要表中的多少，并不说明训练时位置可以多窄：那需要用更少维度（直到作者所说的一个标量）训练的模型"
       "。"});
  if (!bench.has_loss()) {
    findings.remarks.push_back(
        {"The checkpoint has no masked-language head: no loss is measured.", "检查点没有掩码语言模型头：不测损失。"});
  }
}

std::optional<Words> lacks_pieces(const Subject& subject) {
  if (auto lacking_sum = lacks_sum(subject)) return lacking_sum;
  return lacking(subject.positions, kLeastPositions, kLeastComponents);
}

Findings run_removed_components(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Size size = Size::of(conditions);
  RandomStream stream(conditions.seed, "removed components: texts");
  Texts texts = texts_of(subject, {.most = size.texts, .longest = size.longest, .shortest = kShortestMasked}, stream);
  auto missing = lacks_pieces(subject);
  if (!missing && texts.batch.texts() < 2) {
    missing = Words{"needs a corpus with two texts of 4 tokens", "需要至少含两个 4 词元文本的语料"};
  }
  if (missing) {
    findings.gaps["4.10"] = *missing;
    return findings;
  }
  for (int32_t& segment : texts.batch.segments) {
    segment = std::min(segment, static_cast<int32_t>(subject.segments.rows() - 1));
  }
  const Benches benches(subject, conditions, texts,
                        {.seed = conditions.seed,
                         .name = "removed components: bootstrap",
                         .count = size.resamplings,
                         .threads = threads_of(conditions)});
  if (mean(benches.own.all_removed().vectors) < kLeastEffect) {
    findings.gaps["4.10"] = {"the output does not depend on the position rows: there is nothing to keep",
                             "输出不依赖位置行：没有什么可保留"};
    return findings;
  }
  conditions.progress(0.1);
  measure_kept(benches, conditions, findings);
  conditions.progress(0.5);
  measure_components(benches.own, size.components, conditions, findings);
  conditions.progress(0.8);
  measure_bands(benches.own, findings);
  add_remarks(benches.own, conditions, findings);
  conditions.progress(1);
  return findings;
}

Verdict judge_removed_components(const Numbers& numbers) {
  const auto& few = numbers.at("kept_by_few");
  Verdict verdict;
  if (numbers.null("kept_by_few") >= kEnough || numbers.control("kept_by_few") < kEnough) {
    verdict.observation = Observation::cannot_be_told;
  } else if (few.interval->low >= kEnough) {
    verdict.observation = Observation::holds;
  } else if (few.interval->high < kEnough) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  const auto& apart = numbers.at("kept_by_telling_apart");
  verdict.inference = apart.interval->low >= kEnough ? Inference::follows : Inference::does_not_follow;
  verdict.reason = {
      fmt::format("{} keep {:.2f} of what positions do to sentence vectors; {:.0f} tell the positions apart and keep "
                  "{:.2f}; it takes {:.0f} to keep .95",
                  few.label.en.substr(0, few.label.en.find(':')), few.value, numbers.value("told_apart_by"),
                  apart.value, numbers.value("enough")),
      fmt::format("{}保留位置作用的 {:.2f}；分辨各位置只需 {:.0f} 个，保留 {:.2f}；保留 .95 需要 {:.0f} 个",
                  few.label.zh.substr(0, few.label.zh.find("：")), few.value, numbers.value("told_apart_by"),
                  apart.value, numbers.value("enough"))};
  return verdict;
}

Words answer_removed_components(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.10")) return findings.gaps.at("4.10");
  const Numbers& numbers = findings.numbers.at("4.10");
  Words words{"It cannot be told.", "无法判断。"};
  if (verdicts.at("4.10").observation == Observation::fails)
    words = {"No: the output needs them.", "不冗余：输出用得到它们。"};
  if (verdicts.at("4.10").observation == Observation::holds) {
    words = {"Most are, for this output.", "就输出而言，大多数是冗余的。"};
  }
  words.en += fmt::format(
      " {:.0f} principal components tell the positions apart, and keep {:.2f} of what positions do to sentence "
      "vectors; {:.0f} keep .95. Whether a model could be trained with fewer is another question.",
      numbers.value("told_apart_by"), numbers.value("kept_by_telling_apart"), numbers.value("enough"));
  words.zh += fmt::format(
      "分辨各位置用 {:.0f} 个主成分，它们保留位置对句向量作用的 {:.2f}；保留 .95 要 {:.0f} "
      "个。用更少的维度能否训练，是另一个"
      "问题。",
      numbers.value("told_apart_by"), numbers.value("kept_by_telling_apart"), numbers.value("enough"));
  return words;
}

}  // namespace

Experiment removed_components_experiment() {
  return {
      .name = "removed_components",
      .effort = 30,
      .title = {"Pieces of the position table", "位置表的各个成分"},
      .question = {"Are so many dimensions of positions redundant, and which does the model use?",
                   "位置的这么多维度是冗余的吗？模型用的是哪些？"},
      .definition =
          {"The checkpoint with one principal component, or one octave of periods along positions, removed from its "
           "table at a time, and with only the first components kept. Change of sentence vectors (1 − cosine), over "
           "the "
           "change when every row is the mean row; of hidden states (1 − linear CKA); of the masked-language loss "
           "where "
           "there is a head.",
           "每次从检查点的位置表中去掉一个主成分或一个倍频程的周期段，以及只保留前若干主成分。看句向量的变化（1 − "
           "余弦）与各行都"
           "取均值时的变化之比、隐状态（1 − 线性 CKA），有掩码头时还看损失。"},
      .source = {"document 004, comments; own", "文档 004 的评论；自定义"},
      .null = {"white noise as the table, which spreads over all dimensions; of single pieces, the component of least "
               "variance",
               "以铺满所有维度的白噪声为表；对单个成分，取方差最小的主成分"},
      .control =
          {"the table's first components alone as the whole table, half as many as are few; of single pieces, all "
           "of them removed",
           "整张表只由前几个主成分构成（“少数”之一半）；对单个成分，取全部去掉"},
      .rules =
          {{.claim = "4.10",
            .observation =
                {"the reader's: redundant. Holds if the first few components, 16 or an eighth of the dimensions if "
                 "that is less, keep at least .95 of what the positions do to sentence vectors (95 % interval not "
                 "below); fails if they keep less (interval below); otherwise, or if the null keeps .95 or the "
                 "control does not, it cannot be told",
                 "按读者所说：冗余。若前少数主成分（16 个，或维度的八分之一，取小者）至少保留位置对句向量作用的 "
                 ".95（95% 区间"
                 "不低于）则成立；保留不足（区间低于）则不成立；其余情形，或零假设保留了 .95、对照没有，则无法判断"},
            .inference =
                {"that dimensions beyond those that tell positions apart are redundant follows if as many "
                 "components as tell 99 % of them apart, under noise of a tenth of their spread, keep .95; "
                 "otherwise it does not follow. That a scalar is unfriendly to a network is not tested: it needs "
                 "training",
                 "若足以在其离散十分之一的噪声下分辨 99% 位置的主成分保留了 "
                 ".95，则“能分辨位置，其余维度即冗余”推得出；否则"
                 "推不出。“标量对网络不友好”未检验：需要训练"},
            .judge = judge_removed_components}},
      .run = run_removed_components,
      .answer = answer_removed_components};
}

}  // namespace summand::lab
