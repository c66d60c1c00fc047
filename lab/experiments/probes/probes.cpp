// 3.3: can a linear probe tell token, position and segment apart, layer by layer?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "base/random_stream.hpp"
#include "base/thread_pool.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/probes/probe_tasks.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"
#include "model/batch.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

const std::array<Words, kProbedParts> kPartWords{Words{"token", "词元"}, Words{"position", "位置"},
                                                 Words{"segment", "片段"}};
const std::array<const char*, kProbedParts> kPartNames{"token", "position", "segment"};

constexpr double kReads = 0.5;    // accuracy: what counts as separable
constexpr double kHardly = 0.25;  // accuracy: what counts as not
constexpr double kControl = 0.9;  // of the part's own row
constexpr double kAsWell = 0.1;   // of accuracy

/// The same configuration as before training: every parameter drawn from a stream of its own name.
model::Weights untrained_weights(const model::Config& config, const Conditions& conditions) {
  model::Weights weights;
  for (const auto& parameter : model::parameters(config, {})) {
    std::vector<float> values(model::elements(parameter),
                              parameter.initialiser == model::Initialiser::ones ? 1.0F : 0.0F);
    if (parameter.initialiser == model::Initialiser::normal) {
      RandomStream stream(conditions.seed, "probes: " + parameter.name);
      for (float& value : values) value = static_cast<float>(config.initializer_range * stream.normal());
    }
    weights.set(parameter.name, model::make_tensor(parameter.shape, values));
  }
  return weights;
}

/// What one layer of one model gives.
struct LayerProbes {
  std::array<std::vector<bool>, kProbedParts> right;
  std::array<double, kProbedParts> control_task{};
};

struct Probed {
  std::vector<LayerProbes> trained, untrained;
  std::array<double, kProbedParts> own_row{}, own_row_control_task{}, majority{};
  ProbeTasks tasks;
};

/// The rows of one table that the texts add.
Table rows_of(const Table& table, const std::vector<int32_t>& rows) {
  Table picked(static_cast<Index>(rows.size()), table.cols());
  for (size_t i = 0; i < rows.size(); ++i)
    picked.row(static_cast<Index>(i)) = table.row(std::min<Index>(rows[i], table.rows() - 1));
  return picked;
}

std::vector<Matrix<float>> all_states(const engine::Engine& engine, const model::Batch& batch, size_t layers) {
  std::vector<size_t> wanted(layers + 1);
  std::iota(wanted.begin(), wanted.end(), size_t{0});
  return engine::hidden_states(engine, batch, wanted);
}

std::vector<LayerProbes> probe_layers(std::vector<Matrix<float>> states, const ProbeTasks& tasks, size_t parts,
                                      const Conditions& conditions) {
  std::vector<LayerProbes> probed(states.size());
  ThreadPool::shared().run(states.size(), threads_of(conditions), [&](size_t layer, int) {
    const Table features = table_of(states[layer].view());
    for (size_t part = 0; part < parts; ++part) {
      probed[layer].right[part] = probe(features, tasks.probes[part]);
      probed[layer].control_task[part] = rate_of(probe(features, tasks.controls[part]));
    }
  });
  return probed;
}

/// How many of the three there are: without a second segment, two.
size_t parts_of(const Subject& subject) {
  return subject.segments.rows() > 1 && subject.model->config().type_vocab_size > 1 ? kProbedParts : segment;
}

/// The part to whose items the control task of another deals its classes.
size_t dealt_to(size_t part) {
  return part == token ? position : token;
}

Probed probed_of(const Subject& subject, const Conditions& conditions) {
  const auto length = std::min<size_t>(conditions.quick ? 32 : 64,
                                       static_cast<size_t>(subject.model->config().max_position_embeddings));
  RandomStream stream(conditions.seed, "probes: texts");
  const auto texts = probe_texts(subject, conditions.quick ? 64 : 160, length, stream);
  const size_t parts = parts_of(subject);
  Probed probed;
  probed.tasks = probe_tasks(texts, length, conditions);
  const auto& config = subject.model->config();
  const auto layers = static_cast<size_t>(config.num_hidden_layers);
  probed.trained =
      probe_layers(all_states(subject.model->engine(), texts.batch, layers), probed.tasks, parts, conditions);
  conditions.progress(0.5);
  const engine::Engine untrained(config, untrained_weights(config, conditions), {.threads = conditions.threads});
  probed.untrained = probe_layers(all_states(untrained, texts.batch, layers), probed.tasks, parts, conditions);
  conditions.progress(0.95);
  const std::array<Table, kProbedParts> own{rows_of(subject.tokens, texts.batch.ids),
                                            rows_of(subject.positions, texts.batch.positions),
                                            rows_of(subject.segments, texts.batch.segments)};
  for (size_t part = 0; part < parts; ++part) {
    probed.own_row[part] = rate_of(probe(own[part], probed.tasks.probes[part]));
    probed.own_row_control_task[part] = rate_of(probe(own[dealt_to(part)], probed.tasks.controls[part]));
    probed.majority[part] = majority(probed.tasks.probes[part]);
  }
  return probed;
}

/// The layer behind the input at which the worse of token and position is read best.
size_t best_layer(const std::vector<LayerProbes>& layers) {
  size_t best = 1;
  const auto worse = [&](size_t layer) {
    return std::min(rate_of(layers[layer].right[token]), rate_of(layers[layer].right[position]));
  };
  for (size_t layer = 1; layer < layers.size(); ++layer) {
    if (worse(layer) > worse(best)) best = layer;
  }
  return best;
}

Words row_alone(size_t part) {
  return {"the " + kPartWords[part].en + " row alone", "仅" + kPartWords[part].zh + "行"};
}

const Words kUntrained{"the same model untrained", "同样的模型，未经训练"};
const Words kMajority{"always the most frequent class", "总猜最常见的类别"};

/// One part read behind one layer, and its control task there.
void add_layer(const Probed& probed, size_t part, size_t layer, const Conditions& conditions, Numbers& numbers) {
  const auto& right = probed.trained[layer].right[part];
  const std::string name =
      layer == 0 ? fmt::format("{}_input", kPartNames[part]) : fmt::format("{}_layer_{}", kPartNames[part], layer);
  const Words where = layer == 0 ? Words{"at the input", "输入处"}
                                 : Words{fmt::format("behind layer {}", layer), fmt::format("第 {} 层之后", layer)};
  const auto of = [&](std::span<const size_t> chosen) {
    size_t met = 0;
    for (const size_t i : chosen) met += right[i] ? 1 : 0;
    return static_cast<double>(met) / static_cast<double>(chosen.size());
  };
  numbers.add(Measured(name,
                       {fmt::format("accuracy of the {} probe on unseen {}, {}", kPartWords[part].en,
                                    part == token ? "positions" : "tokens", where.en),
                        fmt::format("{}探针在未见过的{}上的准确率，{}", kPartWords[part].zh,
                                    part == token ? "位置" : "词元", where.zh)},
                       rate_of(right))
                  .interval(bootstrap(right.size(), of,
                                      {.seed = conditions.seed,
                                       .name = "probes: " + name,
                                       .count = conditions.quick ? 100U : 500U,
                                       .threads = threads_of(conditions)}))
                  .null(probed.majority[part], kMajority)
                  .control(probed.own_row[part], row_alone(part)));
  numbers.add(Measured(name + "_untrained",
                       {fmt::format("the same of an untrained model, {}", where.en),
                        fmt::format("未经训练的模型的同一数值，{}", where.zh)},
                       rate_of(probed.untrained[layer].right[part]))
                  .null(probed.majority[part], kMajority)
                  .control(probed.own_row[part], row_alone(part)));
  numbers.add(Measured(name + "_control_task",
                       {fmt::format("its control task: as many classes dealt at random, {}", where.en),
                        fmt::format("其对照任务：随机指派同样多的类别，{}", where.zh)},
                       probed.trained[layer].control_task[part])
                  .null(majority(probed.tasks.controls[part]), kMajority)
                  .control(probed.own_row_control_task[part], row_alone(dealt_to(part))));
}

/// Where the worse of token and position is read best, and how well there and at the input.
void add_best_layer(const Probed& probed, Numbers& numbers) {
  const size_t best = best_layer(probed.trained);
  const auto worse = [](const std::vector<LayerProbes>& layers, size_t layer) {
    return std::min(rate_of(layers[layer].right[token]), rate_of(layers[layer].right[position]));
  };
  const double either_row = std::min(probed.own_row[token], probed.own_row[position]);
  const Words of_either_row{"either row alone", "各自单独的行"};
  const double guessing = std::min(probed.majority[token], probed.majority[position]);
  numbers.add(
      Measured("best_layer",
               {"layer at which the worse of token and position is read best", "词元与位置中较差者读得最好的层"},
               static_cast<double>(best))
          .null(static_cast<double>(best_layer(probed.untrained)), kUntrained)
          .control(static_cast<double>(probed.trained.size() - 1),
                   {"the last: nothing lost on the way", "最后一层：途中无所失"}));
  numbers.add(
      Measured("worse_there", {"the worse of the two there", "该层两者中较差的准确率"}, worse(probed.trained, best))
          .null(guessing, kMajority)
          .control(either_row, of_either_row));
  numbers.add(Measured("worse_at_input", {"the worse of the two at the input", "输入处两者中较差的准确率"},
                       worse(probed.trained, 0))
                  .null(guessing, kMajority)
                  .control(either_row, of_either_row));
  numbers.add(Measured("worse_at_input_untrained", {"the same of an untrained model", "未经训练的模型的同一数值"},
                       worse(probed.untrained, 0))
                  .null(guessing, kMajority)
                  .control(either_row, of_either_row));
}

void add_numbers(const Probed& probed, size_t parts, const Conditions& conditions, Numbers& numbers) {
  for (size_t part = 0; part < parts; ++part) {
    for (size_t layer = 0; layer < probed.trained.size(); ++layer) add_layer(probed, part, layer, conditions, numbers);
    numbers.add(
        Measured(std::string(kPartNames[part]) + "_majority",
                 {"always the most frequent " + kPartWords[part].en, "总猜最常见的" + kPartWords[part].zh},
                 probed.majority[part])
            .null(1 / static_cast<double>(probed.tasks.probes[part].classes), {"every class as likely", "各类别等可能"})
            .control(probed.own_row[part], row_alone(part)));
  }
  add_best_layer(probed, numbers);
}

Figure layers_figure(const Probed& probed, size_t parts) {
  using namespace chart;
  const std::vector<Series> series{
      {{"trained", "训练后"}, {.colour = "@blue", .width = 3}},
      {{"untrained", "未训练"}, {.colour = "@faint", .dash = {6, 3}, .shape = "square"}},
      {{"control task", "对照任务"}, {.colour = "@orange", .dash = {2, 2}, .shape = "triangle-up"}}};
  std::vector<double> layer;
  std::vector<double> accuracy_column;
  std::vector<Words> what;
  std::vector<Words> which;
  std::vector<Words> order;
  for (size_t part = 0; part < parts; ++part) {
    order.push_back(series_of_parts()[part].words);
    for (size_t at = 0; at < probed.trained.size(); ++at) {
      const std::array values{rate_of(probed.trained[at].right[part]), rate_of(probed.untrained[at].right[part]),
                              probed.trained[at].control_task[part]};
      for (size_t i = 0; i < values.size(); ++i) {
        layer.push_back(static_cast<double>(at));
        accuracy_column.push_back(values[i]);
        what.push_back(order.back());
        which.push_back(series[i].words);
      }
    }
  }
  const Json y = scaled(number("accuracy", {"accuracy", "准确率"}), {{"domain", {0, 1}}});
  return {
      .name = "probes-layers",
      .title = {"What a linear probe reads, layer by layer", "线性探针逐层能读出什么"},
      .caption =
          {"Accuracy on items held out: positions and segments of unseen tokens, tokens at unseen positions. "
           "Layer 0 is the input. A control task has labels drawn at random: what a probe learns by heart.",
           "在留出条目上的准确率：未见词元的位置与片段，未见位置上的词元。第 0 层为输入。对照任务的标签随机抽取：探针"
           "死记所能达到的水平。"},
      .specification =
          facets(name("part", {"part", "部分"}), order,
                 mark({{"type", "line"}, {"point", true}},
                      of_lines({{"x", whole("layer", {"layer", "层"})}, {"y", y}}, "of", {"model", "模型"}, series)),
                 {.least = 290, .most = 3, .axis = 66, .height = 220}),
      .data = FigureData{{{"layer", layer}, {"accuracy", accuracy_column}, {"part", what}, {"of", which}}}};
}

std::optional<Words> lacks_probes(const Subject& subject) {
  if (auto lacking = lacks_sum(subject)) return lacking;
  size_t words = 0;
  std::set<int32_t> types;
  for (const auto& sentence : subject.corpus.sentences) {
    for (size_t i = 0; i < sentence.ids.size(); ++i) {
      words += sentence.special[i] ? 0 : 1;
      types.insert(sentence.ids[i]);
    }
  }
  const auto& config = subject.model->config();
  const bool fits =
      subject.tokens.rows() == config.vocab_size && subject.positions.rows() == config.max_position_embeddings;
  if (!fits || words < 32 || types.size() < 8 || config.max_position_embeddings < 16 || config.num_hidden_layers < 1) {
    return Words{"needs a layer, 16 positions, and a corpus of 32 words of 8 kinds",
                 "需要至少一层、16 个位置，以及 32 个词、8 种词的语料"};
  }
  return {};
}

Findings run_probes(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_probes(subject)) {
    findings.gaps["3.3"] = *lacking;
    return findings;
  }
  const size_t parts = parts_of(subject);
  const Probed probed = probed_of(subject, conditions);
  add_numbers(probed, parts, conditions, findings.numbers["3.3"]);
  findings.figures.push_back(layers_figure(probed, parts));
  if (conditions.quick) {
    findings.left_out.push_back({"64 texts of 32 tokens instead of 160 of 64; 100 bootstrap samples instead of 500",
                                 "64 个长 32 的文本而非 160 个长 64 的；自助样本 100 个而非 500 个"});
  }
  if (parts < kProbedParts) {
    findings.remarks.push_back(
        {"This model has one segment row: there is no segment to probe.", "此模型只有一个片段行：没有片段可探。"});
  }
  findings.remarks.push_back(
      {"A probe reads a text's tokens as they are mixed by attention. Where a segment begins can also be read from "
       "[SEP], which "
       "the model sees in every layer.",
       "探针读到的是经注意力混合后的词元。片段从哪里开始也可由 [SEP] 读出，而模型在每一层都看得到它。"});
  conditions.progress(1);
  return findings;
}

Verdict judge_probes(const Numbers& numbers) {
  const double there = numbers.value("worse_there");
  const double chance = std::max(numbers.value("token_majority"), numbers.value("position_majority"));
  Verdict verdict;
  if (numbers.control("worse_there") < kControl || chance >= kHardly) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = there >= kReads   ? Observation::holds
                          : there < kHardly ? Observation::fails
                                            : Observation::cannot_be_told;
  }
  const double input = numbers.value("worse_at_input");
  const double untrained = numbers.value("worse_at_input_untrained");
  if (verdict.observation == Observation::holds) {
    verdict.inference = untrained >= input - kAsWell ? Inference::does_not_follow : Inference::follows;
  }
  verdict.reason = {
      fmt::format("behind layer {:.0f} position and token are both read in at least {:.2f} of unseen cases; at "
                  "the input in {:.2f}, and in {:.2f} of an untrained model's",
                  numbers.value("best_layer"), there, input, untrained),
      fmt::format("第 {:.0f} 层之后，位置与词元在未见条目上都至少读出 {:.2f}；输入处为 {:.2f}，未训练的模型为 {:.2f}",
                  numbers.value("best_layer"), there, input, untrained)};
  return verdict;
}

Words answer_probes(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.3")) return findings.gaps.at("3.3");
  const Numbers& numbers = findings.numbers.at("3.3");
  const bool as_well = verdicts.at("3.3").inference == Inference::does_not_follow;
  return {
      fmt::format(
          "A linear probe finds the position of unseen tokens in {:.0f} % at the input and {:.0f} % behind the first "
          "layer, tokens at unseen positions in {:.0f} and {:.0f} %.{}",
          100 * numbers.value("position_input"), 100 * numbers.value("position_layer_1"),
          100 * numbers.value("token_input"), 100 * numbers.value("token_layer_1"),
          as_well ? " Untrained tables are read as well: separability comes with adding in many dimensions, not "
                    "from training."
                  : ""),
      fmt::format("线性探针对未见词元的位置，在输入处读出 {:.0f}%，第一层之后 {:.0f}%；对未见位置上的词元为 {:.0f}% 与 "
                  "{:.0f}%。{}",
                  100 * numbers.value("position_input"), 100 * numbers.value("position_layer_1"),
                  100 * numbers.value("token_input"), 100 * numbers.value("token_layer_1"),
                  as_well ? "未训练的表同样读得出：可分性来自在许多维度中相加，而非来自训练。" : "")};
}

}  // namespace

Experiment probes_experiment() {
  return {
      .name = "probes",
      .effort = 16,
      .title = {"What later layers can tell apart", "后面的层能分辨什么"},
      .question = {"Can token, position and segment be told apart linearly, layer by layer?",
                   "词元、位置与片段能逐层被线性分辨吗？"},
      .definition =
          {"Linear discriminant analysis (columns standardised, .001 added to the within-class variances) of the "
           "hidden "
           "states of texts made of the corpus' words: position and segment judged on tokens never seen in "
           "fitting, token (the 50 most frequent) at positions never seen. Control tasks deal as many classes at "
           "random to items; split by text.",
           "由语料词语组成的文本的隐藏状态，做线性判别分析（各列标准化，类内方差加 "
           ".001）：位置与片段在拟合时未见的词元上"
           "检验，词元（最常见的 50 个）在未见的位置上检验。对照任务把同样多的类别随机指派给条目；按文本划分。"},
      .source = {"document 003; Fisher 1936; control tasks: Hewitt & Liang 2019",
                 "文档 003；Fisher 1936；对照任务：Hewitt & Liang 2019"},
      .null = {"always the most frequent class; a model of the same configuration, untrained, stands beside",
               "总猜最常见的类别；并列同样配置、未经训练的模型"},
      .control = {"the row of the part alone", "仅该部分的行"},
      .rules =
          {{.claim = "3.3",
            .observation =
                {"holds if behind some layer token and position are both read in at least half of the unseen "
                 "cases; fails if behind every layer one of them is in less than a quarter; otherwise, or if "
                 "the control misses .9 or the majority reaches .25, it cannot be told",
                 "若某层之后，词元与位置在未见条目上都至少读出一半则成立；若每层之后总有一个不足四分之一则不成立；其余"
                 "情形，或"
                 "对照不足 .9、最常见类别达到 .25 时，无法判断"},
            .inference =
                {"that the model learned to keep them apart follows if an untrained model's input is read worse "
                 "by more than .1, and does not if it is read as well; not tested unless the observation holds",
                 "若未训练模型的输入读出率低 .1 以上，则“模型学会了区分”推得出；若相当则推不出；观察不成立时未检验"},
            .judge = judge_probes}},
      .run = run_probes,
      .answer = answer_probes};
}

}  // namespace summand::lab
