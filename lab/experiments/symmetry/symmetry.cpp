// 4.1: without positions and without a mask, is the model fully symmetric in its inputs?
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/symmetry/permuted_texts.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"
#include "reference/bert.hpp"

namespace summand::lab {

namespace symmetry {
namespace {

using Eigen::Index;

/// Of a deviation of the outputs: sums in another order differ by far less in single precision, through 24 layers too.
constexpr double kLogitRounding = 1e-3;
/// The same in double precision, with 2⁻²⁹ of single precision's rounding.
constexpr double kRoundingDouble = 1e-9;
/// What a permutation that matters moves at least.
constexpr double kMoves = 0.01;
constexpr size_t kShortestReordered = 4;  // tokens
constexpr size_t kLongest = 24;
constexpr size_t kLongestInDouble = 8;

constexpr NumberName kTokenMoves{"symmetry", "token_moves"};
constexpr NumberName kMeanMoves{"symmetry", "mean_moves"};
constexpr NumberName kPlaceMoves{"symmetry", "place_moves"};
constexpr NumberName kOthersPermuted{"symmetry", "others_permuted"};
constexpr NumberName kCausalMask{"symmetry", "causal_mask"};
constexpr NumberName kPositionsMove{"symmetry", "positions_move"};  // where there are some
constexpr NumberName kTokenMovesInDouble{"symmetry", "token_moves_in_double"};

/// How much is measured.
struct Size {
  size_t texts = 16;
  size_t orders = 4;
  size_t in_double = 3;  ///< texts
};
constexpr Size kFull{};
constexpr Size kQuick{.texts = 4, .orders = 2, .in_double = 1};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"rounding", kLogitRounding},
          {"billionths", 1e9 * kRoundingDouble},
          {"moves", kMoves},
          {"shortest", kShortestReordered},
          {"longest", kLongest}};
}

LocalizedText text_of_figure(const std::string& name) {
  return localize("symmetry.figures.symmetry." + name);
}

/// Every position row the mean row: none can be told from another. A model without positions is it as it is.
ChangedModel without_positions(const Subject& subject) {
  auto model = changed_model(subject);
  if (subject.positions.rows() > 0) {
    model.replace_positions(column_means(subject.positions).transpose().replicate(subject.positions.rows(), 1));
  }
  return model;
}

/// What is shown of one model: three read-outs.
struct Shown {
  LocalizedText words;
  Changes changes;
};

struct Pairs {
  std::vector<Permuted> all;
  std::vector<Permuted> others;  ///< the first token stays
  std::vector<Permuted> few;     ///< for the reference
};

std::vector<Shown> measure(const Subject& subject, const Pairs& pairs, const Conditions& conditions, Numbers& numbers) {
  const auto model = without_positions(subject);
  const auto without = model.engine(1);
  const auto plain = largest_changes(on_engine(without, Attention::full), pairs.all);
  const auto averaging = largest_changes(on_engine(without, Attention::mean), pairs.all);
  const auto causal = largest_changes(on_engine(without, Attention::causal), pairs.all);
  std::vector<Shown> shown{
      {text_of_figure("plain"), plain}, {text_of_figure("averaging"), averaging}, {text_of_figure("causal"), causal}};
  conditions.progress(0.4);
  const LocalizedText of_null = localize("symmetry.beside.causal_mask");
  const LocalizedText of_control = localize("symmetry.beside.averaging");
  const LocalizedText of_other_token = localize("symmetry.beside.other_token");
  const LocalizedText unchanged = localize("symmetry.beside.no_mask");
  const NumberAdder add(numbers, plain, {causal, of_null}, {averaging, of_control});
  add(kTokenMoves, &Changes::tokens);
  add(kMeanMoves, &Changes::mean);
  numbers.add(NumberBuilder(kPlaceMoves, plain.same_place)
                  .null(causal.same_place, of_null)
                  .control(plain.mean, localize("symmetry.beside.mean")));
  const auto first = [&](Attention attention) {
    return largest_first_change(on_engine(without, attention), pairs.others);
  };
  numbers.add(NumberBuilder(kOthersPermuted, first(Attention::full))
                  .null(plain.same_place, of_other_token)
                  .control(first(Attention::mean), of_control));
  numbers.add(NumberBuilder(kCausalMask, causal.tokens)
                  .null(plain.tokens, unchanged)
                  .control(plain.same_place, of_other_token));
  if (subject.positions.rows() > 0) {
    const auto placed = largest_changes(on_engine(subject.model->engine(), Attention::full), pairs.all);
    numbers.add(NumberBuilder(kPositionsMove, placed.tokens)
                    .null(plain.tokens, localize("symmetry.beside.no_positions"))
                    .control(causal.tokens, of_null));
    shown.push_back({text_of_figure("placed"), placed});
  }
  conditions.progress(0.7);
  const reference::Bert<double> bert(model.config, model.weights);
  const auto in_double = [&](Attention attention) {
    return largest_changes(on_reference(bert, attention), pairs.few).tokens;
  };
  numbers.add(NumberBuilder(kTokenMovesInDouble, in_double(Attention::full))
                  .null(in_double(Attention::causal), of_null)
                  .control(in_double(Attention::mean), of_control));
  return shown;
}

Figure changes_figure(const std::vector<Shown>& shown) {
  using namespace chart;
  const std::vector<Series> series{{text_of_figure("own"), {.colour = "@blue"}},
                                   {text_of_figure("mean"), {.colour = "@orange", .shape = "square"}},
                                   {text_of_figure("same_place"), {.colour = "@green", .shape = "triangle-up"}}};
  constexpr double kLeastDrawn = 1e-8;  // what is smaller is drawn there
  std::vector<LocalizedText> model;
  std::vector<LocalizedText> output;
  std::vector<double> change;
  for (const auto& one : shown) {
    const double values[] = {one.changes.tokens, one.changes.mean, one.changes.same_place};
    for (size_t i = 0; i < series.size(); ++i) {
      model.push_back(one.words);
      output.push_back(series[i].words);
      change.push_back(std::max(values[i], kLeastDrawn));
    }
  }
  Json points =
      mark({{"type", "point"}, {"size", 90}, {"filled", true}},
           of_points({{"y", listed_points("model", text_of_figure("model"))},
                      {"x", logarithmic(number("change", text_of_figure("change")), {1e-8, 1e-6, 1e-4, 1e-2, 1})}},
                     "output", text_of_figure("output"), series));
  points["encoding"]["color"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  points["encoding"]["shape"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  return {.name = "symmetry",
          .title = text_of_figure("title"),
          .caption = text_of_figure("caption"),
          .specification = with_height(layers({std::move(points), rule("x", kLogitRounding),
                                               rule_label("x", kLogitRounding, text_of_figure("rounding"), 2)}),
                                       height_of(shown.size()) + 30),
          .data = FigureData{{{"model", model}, {"output", output}, {"change", change}}}};
}

std::optional<LocalizedText> lacks_model(const Subject& subject) {
  if (!subject.model) return localize("symmetry.gaps.no_model");
  const auto& config = subject.model->config();
  if (config.num_hidden_layers < 1) return localize("symmetry.gaps.no_layer");
  if (subject.positions.rows() > 0 && subject.positions.cols() != config.hidden_size)
    return localize("symmetry.gaps.other_width");
  return {};
}

Findings run_symmetry(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_model(subject)) {
    findings.gaps["4.1"] = *lacking;
    return findings;
  }
  RandomStream stream(conditions.seed, "symmetry: texts");
  const size_t limit = subject.model->position_limit();
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const size_t positions = rows > 0 ? std::min(rows, limit) : limit;
  const Size size = conditions.quick ? kQuick : kFull;
  const TextChoice choice{.most = size.texts, .longest = std::min(kLongest, positions), .shortest = kShortestReordered};
  const Texts texts = texts_of(subject, choice, stream);
  if (texts.batch.texts() == 0) {
    findings.gaps["4.1"] = localize("symmetry.gaps.no_texts", settings());
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("symmetry.left_out", {{"few_texts", kQuick.texts},
                                                               {"few_orders", kQuick.orders},
                                                               {"few_in_double", kQuick.in_double},
                                                               {"texts", kFull.texts},
                                                               {"orders", kFull.orders},
                                                               {"in_double", kFull.in_double}}));
  }
  const Texts few = texts_of(
      subject,
      {.most = size.in_double, .longest = std::min(kLongestInDouble, positions), .shortest = kShortestReordered},
      stream);
  const Pairs pairs{.all = drawn_pairs(texts, size.orders, Moved::all, stream),
                    .others = drawn_pairs(texts, 1, Moved::all_but_first, stream),
                    .few = drawn_pairs(few, 1, Moved::all, stream)};
  findings.figures.push_back(changes_figure(measure(subject, pairs, conditions, findings.numbers["4.1"])));
  findings.remarks.push_back(localize("symmetry.computed", settings()));
  conditions.progress(1);
  return findings;
}

/// What the reason and the answers say.
FormatArgs measured(const Numbers& numbers) {
  return {{"tokens", numbers.value(kTokenMoves)}, {"in_double", numbers.value(kTokenMovesInDouble)},
          {"mean", numbers.value(kMeanMoves)},    {"place", numbers.value(kPlaceMoves)},
          {"causal", numbers.value(kCausalMask)}, {"others", numbers.value(kOthersPermuted)}};
}

/// What double precision says decides; where single precision alone moves outputs, it is rounding that a model
/// enlarges.
struct RuleInputs {
  double tokens = 0;
  double mean = 0;
  double in_double = 0;
};

Observation evaluate(const RuleInputs& moves) {
  if (moves.in_double >= kRoundingDouble) return Observation::fails;
  return moves.tokens < kLogitRounding && moves.mean < kLogitRounding ? Observation::holds
                                                                      : Observation::cannot_be_told;
}

Verdict judge_symmetry(const Numbers& numbers) {
  const auto inputs = controlled(numbers, [](const NumberReader& of) {
    return RuleInputs{of.value(kTokenMoves), of.value(kMeanMoves), of.value(kTokenMovesInDouble)};
  });
  const double others = numbers.value(kOthersPermuted);
  const double causal = numbers.value(kCausalMask);
  Verdict verdict;
  verdict.observation = inputs.judged_by(evaluate, Observation::fails);
  verdict.number = deciding_number({{kTokenMoves, numbers.value(kTokenMoves) < kLogitRounding},
                                    {kMeanMoves, numbers.value(kMeanMoves) < kLogitRounding},
                                    {kTokenMovesInDouble, numbers.value(kTokenMovesInDouble) < kRoundingDouble}});
  if (verdict.observation == Observation::holds && others < kLogitRounding && causal > kMoves) {
    verdict.inference = Inference::follows;
  } else if (verdict.observation == Observation::fails) {
    verdict.inference = Inference::does_not_follow;
  }
  const FormatArgs found_here = measured(numbers);
  verdict.reason = localize("symmetry.reason", found_here);
  if (const Number* placed = find_number(numbers, kPositionsMove)) {
    FormatArgs with_positions = found_here;
    with_positions.emplace_back("placed", placed->value);
    verdict.reason = localize("symmetry.reason_with_positions", with_positions);
  }
  return verdict;
}

LocalizedText answer_symmetry(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.1")) return gap_answer(findings.gaps.at("4.1"));
  const auto seen = verdicts.at("4.1").observation;
  const char* answer = seen == Observation::cannot_be_told ? "symmetry.answers.cannot_be_told"
                       : seen == Observation::fails        ? "symmetry.answers.fails"
                                                           : "symmetry.answers.holds";
  return localize(answer, measured(findings.numbers.at("4.1")));
}

}  // namespace
}  // namespace symmetry

Experiment symmetry_experiment() {
  using namespace symmetry;
  Experiment experiment = described_experiment("symmetry", settings());
  experiment.effort = 5;
  experiment.needs_positions = false;
  experiment.rules = {
      described_rule("symmetry", "4.1", judge_symmetry, settings(), {.kind = Kind::algebra, .claim = "4.1"})};
  experiment.run = run_symmetry;
  experiment.answer = answer_symmetry;
  return experiment;
}

}  // namespace summand::lab
