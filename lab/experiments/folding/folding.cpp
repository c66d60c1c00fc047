// 3.2 and 0.5: what does a concatenation cost, and what is left of the cost once it is folded?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/composition_costs.hpp"
#include "lab/probing/fold.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/subject/subject.hpp"
#include "model/input_composition.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

namespace {

using model::InputComposition;

constexpr double kWider = 1.5;  // of a model's parameters
constexpr double kMoreOperations = 2;
constexpr size_t kTexts = 4;
constexpr size_t kLongest = 32;  // tokens of each

/// Embeddings and layers alone, with these three tables.
model::Weights weights_with(const Subject& subject, const model::Config& config, const Projection* folded_by,
                            const model::Batch& batch) {
  const auto& own = subject.model->checkpoint().weights;
  model::Weights weights;
  for (const auto& parameter : model::parameters(config, {})) {
    if (const auto* tensor = own.find(parameter.name)) weights.set(parameter.name, *tensor);
  }
  Table tokens = subject.tokens;
  Table positions = subject.positions;
  Table segments = subject.segments;
  if (folded_by) {
    // Of the vocabulary only what the texts use.
    for (const int32_t id : batch.ids) tokens.row(id) = subject.tokens.row(id) * folded_by->token.transpose();
    positions = subject.positions * folded_by->position.transpose();
    segments = subject.segments * folded_by->segment.transpose();
  }
  weights.set("embeddings.word_embeddings.weight", tensor_of(tokens));
  weights.set("embeddings.position_embeddings.weight", tensor_of(positions));
  weights.set("embeddings.token_type_embeddings.weight", tensor_of(segments));
  return weights;
}

Matrix<float> last_states(const model::Config& config, const model::Weights& weights, const model::Batch& batch) {
  const engine::Engine engine(config, weights, {.threads = 1});
  const std::vector<size_t> last{static_cast<size_t>(config.num_hidden_layers)};
  return std::move(engine::hidden_states(engine, batch, last).front());
}

double largest_difference(const Matrix<float>& a, const Matrix<float>& b) {
  double largest = 0;
  double squares = 0;
  for (size_t i = 0; i < a.elements().size(); ++i) {
    largest = std::max(largest, std::abs(double{a.elements()[i]} - double{b.elements()[i]}));
    squares += double{a.elements()[i]} * double{a.elements()[i]};
  }
  return largest / std::sqrt(squares / static_cast<double>(a.elements().size()));
}

/// A few texts of the corpus, cut; none where a table does not have the model's shape, or without a corpus.
std::optional<model::Batch> texts_of(const Subject& subject) {
  const model::Config& config = subject.model->config();
  const bool fits = subject.tokens.rows() == config.vocab_size && subject.segments.rows() == config.type_vocab_size &&
                    subject.positions.rows() == config.max_position_embeddings;
  if (!fits) return {};
  model::Batch batch;
  for (const auto& sentence : subject.corpus.sentences) {
    if (batch.texts() == kTexts) break;
    const size_t length = std::min(sentence.ids.size(), kLongest);
    batch.add(std::span(sentence.ids).first(length), std::span(sentence.segments).first(length));
  }
  if (batch.tokens() == 0) return {};
  return batch;
}

/// The last hidden states of a few texts, by concatenating and projecting or by folded tables.
class ThroughModel {
 public:
  ThroughModel(const Subject& subject, model::Batch batch) : subject_(subject), batch_(std::move(batch)) {}

  [[nodiscard]] Matrix<float> projected(const Projection& map) const {
    auto weights = weights_with(subject_, config(InputComposition::concatenate_project), nullptr, batch_);
    Table projection(map.token.rows(), 3 * map.token.cols());
    projection << map.token, map.position, map.segment;
    weights.set("embeddings.composition.projection.weight", tensor_of(projection));
    return last_states(config(InputComposition::concatenate_project), weights, batch_);
  }
  [[nodiscard]] Matrix<float> folded(const Projection& map) const {
    const auto plain = config(InputComposition::sum);
    return last_states(plain, weights_with(subject_, plain, &map, batch_), batch_);
  }

 private:
  [[nodiscard]] model::Config config(InputComposition composition) const {
    model::Config config = subject_.model->config();
    config.position = {};
    config.composition = composition;
    return config;
  }

  const Subject& subject_;
  model::Batch batch_;
};

void measure_costs(const model::Config& config, Findings& findings) {
  const auto hidden = static_cast<double>(config.hidden_size);
  const double layers = operations_of_layers(config);
  const auto operations = [&](InputComposition composition) { return operations_of(composition, hidden); };
  const auto wider = [&](int times) { return operations_of_layers(times_as_wide(config, times)) / layers; };
  const Words of_sum{"the plain sum", "直接相加"};
  const Words of_gate{"a gate for every coordinate", "逐维门控"};
  Numbers& numbers = findings.numbers["3.2"];
  numbers.add(
      Measured(
          "wide_parameters",
          {"parameters when the three rows stand side by side and the model is three times as wide, over the sum's",
           "三行并列、整个模型加宽三倍时的参数量与相加之比"},
          parameters_of(times_as_wide(config, 3)) / parameters_of(config))
          .null(parameters_of_thirds(config) / parameters_of(config),
                {"parts a third as wide each: no wider", "各部分宽度取三分之一：不加宽"})
          .control(wider(3), {"the layers' matrices alone", "仅各层矩阵"}));
  numbers.add(Measured("wide_operations", {"operations of the layers, the same comparison", "各层运算量之比"}, wider(3))
                  .null(wider(1), {"parts a third as wide each: no wider", "各部分宽度取三分之一：不加宽"})
                  .control(wider(2), {"only twice as wide", "只加宽两倍"}));
  numbers.add(Measured("projection_parameters", {"parameters of the projection", "投影的参数量"},
                       own_parameters(config, InputComposition::concatenate_project))
                  .null(own_parameters(config, InputComposition::sum), of_sum)
                  .control(own_parameters(config, kDearest), of_gate));
  numbers.add(Measured("projection_operations",
                       {"operations per token of concatenate-and-project, over the sum's",
                        "拼接加投影每个词元的运算量与相加之比"},
                       operations(InputComposition::concatenate_project) / operations(InputComposition::sum))
                  .null(1, {"once folded into three tables", "折叠成三张表之后"})
                  .control(operations(kDearest) / operations(InputComposition::sum), of_gate));
  numbers.add(Measured("projection_of_model",
                       {"operations of the projection beside those of all layers", "投影运算量与各层之比"},
                       operations(InputComposition::concatenate_project) / layers)
                  .null(operations(InputComposition::sum) / layers, of_sum)
                  .control(operations(kDearest) / layers, of_gate));
}

void measure_fold(const Subject& subject, const Conditions& conditions, Findings& findings) {
  RandomStream stream(conditions.seed, "folding: projection");
  const auto items = uniform_items(subject, conditions.quick ? 20 : 200, stream);
  const Projection map = Projection::drawn(subject.tokens.cols(), stream);
  const Projection swapped{map.position, map.token, map.segment};
  const Projection identity = Projection::identity(subject.tokens.cols());
  const Words of_null{"folded by the wrong maps", "用错误的映射折叠"};
  const Words of_control{"maps that do nothing", "恒等映射"};
  Numbers& numbers = findings.numbers["3.2"];
  numbers.add(Measured("fold",
                       {"largest difference of concatenate-and-project from the sum of its three folded tables, beside "
                        "a coordinate's size",
                        "拼接加投影与其三张折叠表之和的最大差（以坐标大小计）"},
                       fold_difference(subject, items, map, map))
                  .null(fold_difference(subject, items, map, swapped), of_null)
                  .control(fold_difference(subject, items, identity, identity), of_control));
  conditions.progress(0.4);
  if (auto texts = texts_of(subject)) {
    const ThroughModel through(subject, std::move(*texts));
    const auto projected = through.projected(map);
    numbers.add(Measured("fold_through_model",
                         {"the same in the last hidden states of four texts", "四个文本最后一层隐藏状态中的同一差值"},
                         largest_difference(projected, through.folded(map)))
                    .null(largest_difference(projected, through.folded(swapped)), of_null)
                    .control(largest_difference(through.projected(identity), through.folded(identity)), of_control));
  }
  if (conditions.quick)
    findings.left_out.push_back({"20 combinations folded instead of 200", "折叠 20 个组合而非 200 个"});
}

void measure_arms(const model::Config& config, Findings& findings) {
  const auto hidden = static_cast<double>(config.hidden_size);
  const double sum = operations_of(InputComposition::sum, hidden);
  Numbers& numbers = findings.numbers["0.5"];
  const auto ratio = [&](InputComposition composition) { return operations_of(composition, hidden) / sum; };
  const double cheapest = std::min({ratio(InputComposition::concatenate_project), ratio(InputComposition::scalar_gate),
                                    ratio(InputComposition::vector_gate)});
  numbers.add(Measured("cheapest_other",
                       {"operations of the cheapest of concatenation and gates, over the sum's",
                        "拼接与门控中最省者的运算量与相加之比"},
                       cheapest)
                  .null(1, {"concatenate-and-project, folded", "折叠后的拼接加投影"})
                  .control(ratio(kDearest), {"a gate for every coordinate", "逐维门控"}));
  const Words of_sum{"the sum", "相加"};
  const Words of_dearest{"the dearest: a gate for every coordinate", "最贵者：逐维门控"};
  for (const auto& entry : model::enum_names(InputComposition{})) {
    const std::string name(entry.name);
    numbers.add(Measured("operations_" + name, {"operations per token: " + name, "每个词元的运算量：" + name},
                         operations_of(entry.value, hidden))
                    .null(sum, of_sum)
                    .control(operations_of(kDearest, hidden), of_dearest));
    numbers.add(Measured("parameters_" + name, {"parameters of its own: " + name, "自身参数量：" + name},
                         own_parameters(config, entry.value))
                    .null(own_parameters(config, InputComposition::sum), of_sum)
                    .control(own_parameters(config, kDearest), of_dearest));
  }
  Number fold = findings.numbers.at("3.2").at("fold");
  fold.label = {"difference of a folded concatenation, from the claim 3.2", "折叠后的差值（见 3.2）"};
  numbers.add(std::move(fold));
}

Figure costs_figure(const model::Config& config) {
  using namespace chart;
  std::vector<Words> arm;
  std::vector<double> operations;
  const auto hidden = static_cast<double>(config.hidden_size);
  const auto add = [&](const Words& words, InputComposition composition) {
    arm.push_back(words);
    operations.push_back(operations_of(composition, hidden));
  };
  for (const auto& entry : model::enum_names(InputComposition{})) add(words_of(entry.value), entry.value);
  add({"concatenated and projected, folded", "拼接加投影，折叠后"}, InputComposition::sum);
  Json x = logarithmic(number("operations", {"operations per token", "每个词元的运算量"}, ",d"),
                       {1e2, 1e3, 1e4, 1e5, 1e6, 1e7});
  // Room for a count right of the last point.
  const auto [least, most] = std::ranges::minmax(operations);
  x["scale"]["domain"] = {least / 1.5, most * 15};
  Json y = listed_points("composition", {"composition", "组合方式"});
  y["axis"]["grid"] = true;
  Json count =
      mark({{"type", "text"}, {"align", "left"}, {"dx", 9}, {"fontSize", 11}},
           {{"x", x}, {"y", y}, {"text", number("operations", {"operations per token", "每个词元的运算量"}, ",d")}});
  count["encoding"]["text"]["format"] = ",d";
  return {
      .name = "folding-costs",
      .title = {"What composing one token's input costs", "组合一个词元输入的代价"},
      .caption = {"Additions and multiplications, each tick ten times the one before. Folded into three tables, the "
                  "projection costs no more than the sum.",
                  "加法与乘法次数，每格为前一格的十倍。折叠成三张表后，投影的代价与相加相同。"},
      .specification =
          with_height(layers({mark({{"type", "point"}, {"size", 80}}, {{"x", x}, {"y", y}}), std::move(count)}),
                      height_of(arm.size())),
      .data = FigureData{{{"composition", arm}, {"operations", operations}}}};
}

Findings run_folding(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_sum(subject)) {
    for (const char* claim : {"3.2", "0.5"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const auto& config = subject.model->config();
  measure_costs(config, findings);
  measure_fold(subject, conditions, findings);
  measure_arms(config, findings);
  findings.figures.push_back(costs_figure(config));
  findings.remarks.push_back(
      {"Equal as functions: at equal widths, with nothing nonlinear between and an untied decoder. With a tied one the "
       "output table stays unfolded. Training them may still differ: that is optimisation, not capacity.",
       "作为函数相等：宽度相同、其间没有非线性、解码器不共享权重。若共享，输出表不能折叠。训练结果仍可能不同：那是优化"
       "问题，"
       "不是容量问题。"});
  conditions.progress(1);
  return findings;
}

Verdict judge_width(const Numbers& numbers) {
  const double wide = numbers.value("wide_parameters");
  const double projection = numbers.value("projection_operations");
  const bool folds = numbers.value("fold") <= kFoldRounding && numbers.null("fold") > 100 * kFoldRounding;
  Verdict verdict;
  if (numbers.null("wide_parameters") > 1 || numbers.control("wide_parameters") < kWider) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = wide >= kWider && projection >= kMoreOperations ? Observation::holds : Observation::fails;
  }
  verdict.inference = folds ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("side by side and three times as wide: {:.1f} times the parameters; projected back: {:.0f} "
                  "times the sum's operations, and none once folded (difference {:.1g})",
                  wide, projection, numbers.value("fold")),
      fmt::format("并列并加宽三倍：参数量为 {:.1f} 倍；投影回原宽度：运算量为相加的 {:.0f} "
                  "倍，折叠之后则没有额外代价（差 {:.1g}）",
                  wide, projection, numbers.value("fold"))};
  return verdict;
}

Verdict judge_cost(const Numbers& numbers) {
  const double cheapest = numbers.value("cheapest_other");
  Verdict verdict;
  verdict.observation = cheapest >= kMoreOperations ? Observation::holds : Observation::fails;
  verdict.inference = numbers.value("fold") <= kFoldRounding ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("the cheapest of concatenation and gates takes {:.0f} times the sum's operations; a folded "
                  "concatenation takes the same and gives the same, so whatever is linearly separable in "
                  "one is in the other",
                  cheapest),
      fmt::format("拼接与门控中最省者的运算量是相加的 {:.0f} "
                  "倍；折叠后的拼接代价与结果都和相加相同，因此两者的线性可分性没有差别",
                  cheapest)};
  return verdict;
}

Words answer_folding(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("3.2")) return findings.gaps.at("3.2");
  const Numbers& numbers = findings.numbers.at("3.2");
  return {fmt::format(
              "A model three times as wide has {:.1f} times the parameters. Projecting back costs {:.0f} times the "
              "sum's operations, {:.1f} % of the layers' work, while it trains; then it folds into three tables and "
              "is a plain sum.",
              numbers.value("wide_parameters"), numbers.value("projection_operations"),
              100 * numbers.value("projection_of_model")),
          fmt::format("加宽三倍的模型参数量为 {:.1f} 倍。投影回原宽度在训练时的运算量是相加的 {:.0f} 倍，占各层运算的 "
                      "{:.1f}%；训练完即可折叠"
                      "成三张表，就是普通的相加。",
                      numbers.value("wide_parameters"), numbers.value("projection_operations"),
                      100 * numbers.value("projection_of_model"))};
}

}  // namespace

Experiment folding_experiment() {
  return {
      .name = "folding",
      .title = {"What a concatenation costs", "拼接的代价"},
      .question = {"Is adding cheaper than concatenating, once a concatenation is folded?",
                   "把拼接折叠之后，相加还更省吗？"},
      .definition =
          {"Parameters and operations per token, counted from the configuration: the sum, concatenation at full "
           "width, with projection, gates. A drawn concatenate-and-project against the sum of its three folded "
           "tables, in single precision, at the input and behind all layers.",
           "由配置统计参数量与每词元运算量：相加、全宽拼接、拼接加投影、门控。另取随机的拼接加投影，与其三张折叠表之和"
           "比较，单精度，"
           "在输入处与全部层之后各一次。"},
      .source = {"documents 000 and 003; own", "文档 000 与 003；自算"},
      .null = {"parts a third as wide each, which need no more width; folding by the wrong maps",
               "各部分宽度取三分之一，无需加宽；用错误的映射折叠"},
      .control = {"the layers' matrices alone, three times as wide; maps that do nothing; a gate for every coordinate",
                  "仅各层矩阵加宽三倍；恒等映射；逐维门控"},
      .rules =
          {{.claim = "3.2",
            .observation = {"holds if the wide model has at least 1.5 times the parameters and projecting takes at "
                            "least twice the sum's operations; fails otherwise",
                            "加宽的模型参数量至少 1.5 倍且投影的运算量至少为相加的两倍则成立；否则不成立"},
            .inference =
                {"that this speaks against concatenating does not follow if a concatenation with projection "
                 "folds into a sum within 2e-4, and the wrong fold does not; otherwise not tested",
                 "若拼接加投影可折叠为相加（误差不超过 2e-4）而错误的折叠不然，则“因此不宜拼接”推不出；否则未检验"},
            .judge = judge_width},
           {.claim = "0.5",
            .observation = {"holds if concatenation with projection and both gates take at least twice the sum's "
                            "operations; fails otherwise",
                            "拼接加投影与两种门控的运算量都至少为相加的两倍则成立；否则不成立"},
            .inference = {"that adding keeps separability, and is easier to optimise for it, does not follow if a "
                          "folded concatenation is the same function; otherwise not tested",
                          "若折叠后的拼接是同一个函数，则“相加保留线性可分性、便于优化”推不出；否则未检验"},
            .judge = judge_cost}},
      .run = run_folding,
      .answer = answer_folding};
}

}  // namespace summand::lab
