// 4.1: without positions and without a mask, is the model fully symmetric in its inputs?
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/symmetry/permuted_texts.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"
#include "reference/bert.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Of a deviation of the outputs: sums in another order differ by far less in single precision, through 24 layers too.
constexpr double kLogitRounding = 1e-3;
/// The same in double precision, with 2⁻²⁹ of single precision's rounding.
constexpr double kRoundingDouble = 1e-9;
/// What a permutation that matters moves at least.
constexpr double kMoves = 0.01;
constexpr size_t kShortestReordered = 4;

/// Every row the mean row: no position can be told from another.
Table equal_positions(const Subject& subject) {
  return column_means(subject.positions).transpose().replicate(subject.positions.rows(), 1);
}

/// What is shown of one model: three read-outs.
struct Shown {
  Words words;
  Changes changes;
};

struct Pairs {
  std::vector<Permuted> all;
  std::vector<Permuted> others;  ///< the first token stays
  std::vector<Permuted> few;     ///< for the reference
};

std::vector<Shown> measure(const Subject& subject, const Pairs& pairs, const Conditions& conditions, Numbers& numbers) {
  const auto without = engine_with_positions(subject, equal_positions(subject), 1);
  const auto& own = subject.model->engine();
  const auto plain = largest_changes(on_engine(without, Attention::full), pairs.all);
  const auto placed = largest_changes(on_engine(own, Attention::full), pairs.all);
  const auto averaging = largest_changes(on_engine(without, Attention::mean), pairs.all);
  const auto causal = largest_changes(on_engine(without, Attention::causal), pairs.all);
  conditions.progress(0.5);
  const Words of_null{"positions as they are", "位置保持原样"};
  const Words of_control{"attention that averages: every weight 1/n", "取平均的注意力：权重均为 1/n"};
  const auto add = [&](const char* name, const Words& label, double Changes::*of) {
    numbers.add(Measured(name, label, plain.*of).null(placed.*of, of_null).control(averaging.*of, of_control));
  };
  add("token_moves",
      {"all tokens permuted: largest change of a token's output, in deviations",
       "全部词元换位：词元自身输出的最大变化（以标准差计）"},
      &Changes::tokens);
  add("mean_moves", {"largest change of the outputs' mean", "输出均值的最大变化"}, &Changes::mean);
  numbers.add(Measured("place_moves",
                       {"change of the output at one place, whose token changes too (median of places)",
                        "同一位置上的输出变化（该处词元也随之改变；取各位置中位数）"},
                       plain.same_place)
                  .null(placed.same_place, of_null)
                  .control(plain.mean, {"the mean of all outputs", "全部输出的均值"}));
  const auto first = [&](const engine::Engine& engine, Attention attention) {
    return largest_first_change(on_engine(engine, attention), pairs.others);
  };
  numbers.add(Measured("others_permuted",
                       {"the first token stays, the others change places: largest change of its output",
                        "首个词元不动，其余换位：其输出的最大变化"},
                       first(without, Attention::full))
                  .null(first(own, Attention::full), of_null)
                  .control(first(without, Attention::mean), of_control));
  numbers.add(Measured("causal_mask",
                       {"no positions, but a causal mask: largest change of a token's output",
                        "无位置但有因果掩码：词元自身输出的最大变化"},
                       causal.tokens)
                  .null(placed.tokens, of_null)
                  .control(plain.tokens, {"no mask", "无掩码"}));
  conditions.progress(0.7);
  auto changed = changed_model(subject);
  changed.replace_positions(equal_positions(subject));
  const reference::Bert<double> bert(changed.config, changed.weights);
  numbers.add(
      Measured("token_moves_in_double",
               {"the first number in double precision, on a few short texts", "第一个数改用双精度，取少量短文本"},
               largest_changes(on_reference(bert, Attention::full), pairs.few).tokens)
          .null(largest_changes(on_reference(bert, Attention::causal), pairs.few).tokens, {"a causal mask", "因果掩码"})
          .control(largest_changes(on_reference(bert, Attention::mean), pairs.few).tokens, of_control));
  return {{{"no positions, no mask", "无位置、无掩码"}, plain},
          {{"averaging attention", "取平均的注意力"}, averaging},
          {{"causal mask", "因果掩码"}, causal},
          {{"positions as they are", "位置保持原样"}, placed}};
}

Figure changes_figure(const std::vector<Shown>& shown) {
  using namespace chart;
  const std::vector<Series> series{
      {{"a token's own output, followed to its new place", "词元自身的输出（跟随到新位置）"}, {.colour = "@blue"}},
      {{"the mean of all outputs", "全部输出的均值"}, {.colour = "@orange", .shape = "square"}},
      {{"the output at one place", "同一位置上的输出"}, {.colour = "@green", .shape = "triangle-up"}}};
  constexpr double kLeastDrawn = 1e-8;  // what is smaller is drawn there
  std::vector<Words> model;
  std::vector<Words> output;
  std::vector<double> change;
  for (const auto& one : shown) {
    const double values[] = {one.changes.tokens, one.changes.mean, one.changes.same_place};
    for (size_t i = 0; i < series.size(); ++i) {
      model.push_back(one.words);
      output.push_back(series[i].words);
      change.push_back(std::max(values[i], kLeastDrawn));
    }
  }
  Json points = mark(
      {{"type", "point"}, {"size", 90}, {"filled", true}},
      of_points(
          {{"y", listed_points("model", {"model", "模型"})},
           {"x", logarithmic(number("change", {"largest change, deviations (logarithmic)", "最大变化（标准差，对数）"}),
                             {1e-8, 1e-6, 1e-4, 1e-2, 1})}},
          "output", {"read-out", "读出"}, series));
  points["encoding"]["color"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  points["encoding"]["shape"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  return {
      .name = "symmetry",
      .title = {"What moves when the tokens change places", "词元换位后，什么会变"},
      .caption =
          {"Left of the dashed line there is only rounding. In which models does a token take its output along, and "
           "the mean stay? The output at a place has another token to speak of.",
           "虚线左侧只有舍入误差。在哪些模型里，词元带着自己的输出走、均值不变？同一位置上的输出，说的已是另一个词元"
           "。"},
      .specification = with_height(layers({std::move(points), rule("x", kLogitRounding),
                                           rule_label("x", kLogitRounding, {"rounding", "舍入"}, 2)}),
                                   height_of(shown.size()) + 30),
      .data = FigureData{{{"model", model}, {"output", output}, {"change", change}}}};
}

std::optional<Words> lacks_model(const Subject& subject) {
  if (!subject.model) return Words{"needs a checkpoint, not a table alone", "需要检查点，而不只是一张表"};
  const auto& config = subject.model->config();
  if (config.num_hidden_layers < 1) return Words{"needs a layer", "需要至少一层"};
  if (subject.positions.cols() != config.hidden_size) {
    return Words{"the tables do not have the model's width", "各表的宽度与模型不符"};
  }
  return {};
}

Findings run_symmetry(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_model(subject)) {
    findings.gaps["4.1"] = *lacking;
    return findings;
  }
  RandomStream stream(conditions.seed, "symmetry: texts");
  const size_t positions = std::min(static_cast<size_t>(subject.positions.rows()), subject.model->position_limit());
  const TextChoice choice{
      .most = conditions.quick ? 4U : 16U, .longest = std::min<size_t>(24, positions), .shortest = kShortestReordered};
  const Texts texts = texts_of(subject, choice, stream);
  if (texts.batch.texts() == 0) {
    findings.gaps["4.1"] = {"needs a corpus with a text of at least 4 tokens", "需要语料中有至少 4 个词元的文本"};
    return findings;
  }
  const size_t each = conditions.quick ? 2 : 4;
  if (conditions.quick) {
    findings.left_out.push_back({"4 texts in 2 orders each instead of 16 in 4; 1 in double precision instead of 3",
                                 "4 个文本各 2 种次序，而非 16 个各 4 种；双精度 1 个而非 3 个"});
  }
  const Texts few = texts_of(
      subject,
      {.most = conditions.quick ? 1U : 3U, .longest = std::min<size_t>(8, positions), .shortest = kShortestReordered},
      stream);
  const Pairs pairs{.all = drawn_pairs(texts, each, Moved::all, stream),
                    .others = drawn_pairs(texts, 1, Moved::all_but_first, stream),
                    .few = drawn_pairs(few, 1, Moved::all, stream)};
  findings.figures.push_back(changes_figure(measure(subject, pairs, conditions, findings.numbers["4.1"])));
  findings.remarks.push_back(
      {"Without positions means that every position row is the mean row; all segments are 0; texts are cut to 24 "
       "tokens, special tokens change places like the others. Models that read one place, as BERT's pooler reads the "
       "first, are not symmetric in it: the reader's f = x + 2y.",
       "“无位置”指每个位置行都换成均值行；片段全为 0；文本截到 24 个词元，特殊词元同样换位。只读某一处的模型（如 BERT "
       "的池化层只读首个词元）对该处并不对称：即读者所举的 f = x + 2y。"});
  conditions.progress(1);
  return findings;
}

Verdict judge_symmetry(const Numbers& numbers) {
  const double tokens = numbers.value("token_moves");
  const double mean = numbers.value("mean_moves");
  const double in_double = numbers.value("token_moves_in_double");
  const double others = numbers.value("others_permuted");
  const double causal = numbers.value("causal_mask");
  Verdict verdict;
  const bool told_apart = numbers.null("token_moves") > kMoves && numbers.null("mean_moves") > kLogitRounding &&
                          numbers.control("token_moves") < kLogitRounding;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    const bool symmetric = tokens < kLogitRounding && mean < kLogitRounding && in_double < kRoundingDouble;
    verdict.observation = symmetric ? Observation::holds : Observation::fails;
  }
  if (verdict.observation == Observation::holds && others < kLogitRounding && causal > kMoves) {
    verdict.inference = Inference::follows;
  } else if (verdict.observation == Observation::fails) {
    verdict.inference = Inference::does_not_follow;
  }
  verdict.reason = {
      fmt::format(
          "without positions and mask permuted inputs give permuted outputs to {:.1g} deviations ({:.1g} in double) "
          "and move their mean by {:.1g}; the output at one place moves by {:.2f}: f is symmetric where it reads all "
          "places alike; a causal mask moves {:.2f}, the positions {:.2f}",
          tokens, in_double, mean, numbers.value("place_moves"), causal, numbers.null("token_moves")),
      fmt::format("去掉位置与掩码，输入换位则输出随之换位，误差 {:.1g} 个标准差（双精度 {:.1g}），均值变化 {:.1g}；"
                  "同一位置上的输出变化 {:.2f}：只有对各位置一视同仁地读出时 f 才对称；因果掩码造成 {:.2f}，位置造成 "
                  "{:.2f}",
                  tokens, in_double, mean, numbers.value("place_moves"), causal, numbers.null("token_moves"))};
  return verdict;
}

Words answer_symmetry(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.1")) return findings.gaps.at("4.1");
  const Numbers& numbers = findings.numbers.at("4.1");
  const auto observation = verdicts.at("4.1").observation;
  if (observation == Observation::cannot_be_told) {
    return {"It cannot be told here: changing places hardly matters even with this checkpoint's own positions.",
            "此处无法判断：即使保留此检查点自己的位置，换位也几乎没有影响。"};
  }
  if (observation == Observation::fails) {
    return {
        fmt::format("No: even without positions a token's output changes by {:.2g} deviations when tokens change "
                    "places.",
                    numbers.value("token_moves")),
        fmt::format("不是：即使没有位置，词元换位后其输出也会变化 {:.2g} 个标准差。", numbers.value("token_moves"))};
  }
  return {
      fmt::format("Yes, for what reads all places alike: without positions and mask, tokens that change places take "
                  "their outputs along and the mean stays, up to rounding. A single place's output changes by {:.2f} "
                  "deviations, for it has another token. A causal mask breaks the symmetry ({:.2f}).",
                  numbers.value("place_moves"), numbers.value("causal_mask")),
      fmt::format("对各位置一视同仁的读出而言，是的：去掉位置与掩码，词元换位时输出随之换位，均值不变（只差舍入）。"
                  "单个位置上的输出会变 {:.2f} 个标准差，因为换了词元。因果掩码打破对称（{:.2f}）。",
                  numbers.value("place_moves"), numbers.value("causal_mask"))};
}

}  // namespace

Experiment symmetry_experiment() {
  return {
      .name = "symmetry",
      .effort = 5,
      .title = {"Without positions, does order matter?", "没有位置，次序还有影响吗"},
      .question = {"Without positions and mask, is the model symmetric in its inputs?",
                   "没有位置与掩码时，模型对输入是对称的吗？"},
      .definition =
          {"Every position row becomes the mean row, every segment 0. Tokens of corpus texts change places at random; "
           "compared, as largest absolute difference in deviations: a token's last hidden state before and after, "
           "followed to its new place; the mean over tokens; the state at one place; the first token's when only the "
           "others move. On the engine, and in double precision on the reference.",
           "每个位置行都换成均值行，片段全为 "
           "0。把语料文本中的词元随机换位，比较最大绝对差（以标准差计）：词元末层状态（跟随到新位置）、全体均值、同一位"
           "置上的状态，以及只有其余词元换位时首个词元的状态。在引擎上，并用双精度参考实现计算。"},
      .source = {"document 004 and its readers' comments", "文档 004 及其读者评论"},
      .null = {"the checkpoint's own positions; a causal mask", "检查点自己的位置；因果掩码"},
      .control = {"attention that averages, in closed form 1/n everywhere: no score can break the symmetry",
                  "取平均的注意力（处处为 1/n 的闭式）：没有分数可以打破对称"},
      .rules =
          {{.claim = "4.1",
            .observation =
                {"of read-outs that take all places alike: holds if, without positions and mask, tokens' outputs and "
                 "their mean move by less than .001 deviations, and 1e-9 in double precision; fails otherwise; cannot "
                 "be told if tokens' outputs move by no more than .01 with the checkpoint's positions, or by .001 "
                 "under averaging attention",
                 "针对一视同仁的读出：去掉位置与掩码后，词元输出及其均值的变化小于 .001 个标准差（双精度小于 "
                 "1e-9）则成立；否则不成立；若保留检查点的位置时词元输出变化也不超过 "
                 ".01，或取平均的注意力下达到 .001，则无法判断"},
            .inference =
                {"that such a Transformer cannot tell positions follows if, besides, no output moves by .001 when only "
                 "other tokens change places, and a causal mask moves outputs by more than .01; does not follow if the "
                 "observation fails; otherwise not tested",
                 "若此外仅其余词元换位时输出变化不到 .001，且因果掩码使输出变化超过 "
                 ".01，则“这样的 Transformer 无法识别位置”推得出；观察不成立则推不出；其余情形未检验"},
            .judge = judge_symmetry}},
      .run = run_symmetry,
      .answer = answer_symmetry};
}

}  // namespace summand::lab
