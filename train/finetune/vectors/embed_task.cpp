#include "train/finetune/vectors/embed_task.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "model/parameters.hpp"
#include "train/finetune/finetune.hpp"
#include "train/finetune/vectors/dense_module.hpp"
#include "train/finetune/vectors/embed_evaluation.hpp"
#include "train/finetune/vectors/hard_negatives.hpp"
#include "train/finetune/vectors/sentence_files.hpp"
#include "train/finetune/vectors/sentence_scores.hpp"
#include "train/finetune/vectors/sentence_vectors.hpp"
#include "train/run/ratio.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// The checkpoint's modules as the run's options have them.
model::SentenceModules modules_for(const TaskInputs& inputs) {
  model::SentenceModules modules = inputs.checkpoint.sentence_modules();
  const model::Config& config = inputs.checkpoint.config.config;
  const auto positions = static_cast<size_t>(config.max_position_embeddings);
  const FinetuneOptions& options = inputs.request.options;
  if (options.max_length && *options.max_length > positions) {
    throw UsageError("--max-length", fmt::format("expected at most {}, the positions that the model has, got {}",
                                                 positions, *options.max_length));
  }
  if (options.max_length) modules.max_seq_length = *options.max_length;
  if (options.enlargement.positions && !options.max_length) modules.max_seq_length = positions;
  if (!modules.max_seq_length) modules.max_seq_length = positions;
  if (options.embed.pooling) {
    if (modules.pooling.size() > 1 && !modules.steps.empty()) {
      throw UsageError("--pooling", fmt::format("expected none for a model that puts {} poolings side by side, got one",
                                                modules.pooling.size()));
    }
    modules.pooling = {*options.embed.pooling};
  }
  return modules;
}

std::string prompt_of(const model::SentenceModules& modules, const std::string& model) {
  if (!modules.default_prompt_name) return "";
  std::string prompt = modules.prompts.at(*modules.default_prompt_name);
  if (!prompt.empty() && !modules.include_prompt) {
    throw ConfigError(model, fmt::format("include_prompt: expected true to train with the default prompt '{}', got "
                                         "false",
                                         printable(prompt)));
  }
  return prompt;
}

/// Vectors as wide as the teacher's: where the model's are not, a dense module makes them, before a last Normalize.
void fit_to_teacher(model::SentenceModules& modules, const TaskInputs& inputs, EmbedData& data) {
  const FinetuneOptions& options = inputs.request.options;
  const size_t own = vector_width(modules, static_cast<size_t>(inputs.checkpoint.config.config.hidden_size));
  const size_t asked = data.loss == SentenceLoss::distillation ? data.train.examples.teacher->width() : own;
  if (own == asked) {
    if (!options.embed.activation) return;
    throw UsageError(
        "--activation",
        fmt::format("expected a --teacher whose vectors have another width than the model's, for which a "
                    "dense module is added, got {}",
                    data.loss == SentenceLoss::distillation ? fmt::format("{} dimensions of both", own) : "none"));
  }
  const auto place = modules.steps.begin() + static_cast<std::ptrdiff_t>(model::first_ending(modules));
  modules.steps.insert(
      place, draw_dense(own, asked, options.embed.activation.value_or(model::TorchActivation::identity), options.seed));
  modules.truncate_dimensions.reset();
  data.notices.push_back(fmt::format(
      "--teacher: its vectors have {} dimensions, the model's {}: a dense module, drawn by --seed, makes {} "
      "of them",
      asked, own, asked));
}

/// The pooler's parameters, which are kept as they are: no sentence vector reads it.
std::vector<model::Parameter> kept_pooler(const io::Checkpoint& checkpoint) {
  std::vector<model::Parameter> kept;
  for (auto& parameter : model::parameters(checkpoint.config.config, {.pooler = checkpoint.parts.pooler})) {
    if (parameter.part != model::ParameterGroup::pooler) continue;
    parameter.initialiser = model::Initialiser::fixed_normal;  // which training leaves alone
    kept.push_back(std::move(parameter));
  }
  return kept;
}

InitialModel initial_model_for(const TaskInputs& inputs, const model::SentenceModules& modules) {
  const io::Checkpoint& checkpoint = inputs.checkpoint;
  InitialModel initial{
      .config = checkpoint.config.config, .parts = {}, .weights = checkpoint.weights, .more = kept_pooler(checkpoint)};
  std::ranges::move(module_parameters(modules), std::back_inserter(initial.more));
  for (const auto& [name, tensor] : module_weights(modules)) initial.weights.set(name, tensor);
  initial.init_hash = hash_of_weights(initial.weights);
  initial.config.weight_format = model::WeightFormat::floating;
  initial.config.forget_reading();
  if (const auto& dropout = inputs.request.options.dropout) {
    initial.config.hidden_dropout_prob = initial.config.attention_probs_dropout_prob = *dropout;
  }
  initial.config.architectures = {"BertModel"};
  initial.config.labels = {};
  initial.config.problem_type = model::ProblemType::unspecified;
  check_trainable(initial.config, checkpoint.config.where);
  initial.notices = checkpoint.notices;
  if (const auto left = parts_beyond(checkpoint.parts, {.pooler = checkpoint.parts.pooler}); !left.empty()) {
    initial.notices.push_back(
        fmt::format("{}: left out, for sentence vectors have no use for it: its {}", inputs.request.model, left));
  }
  return initial;
}

std::string metric_of(const FinetuneOptions& options, SentenceLoss loss) {
  const auto known = metrics_of(loss);
  if (!options.metric) return std::string(known.front());
  if (std::ranges::find(known, *options.metric) != known.end()) return *options.metric;
  throw UsageError("--metric", fmt::format("expected one of {} for --loss {}, got '{}'", fmt::join(known, ", "),
                                           model::name_of(loss), printable(*options.metric)));
}

text::Tokenizer own_tokenizer(const io::Checkpoint& checkpoint, const model::SentenceModules& modules) {
  const bool lowers = modules.do_lower_case.value_or(false);
  return text::Tokenizer::load(checkpoint.transformer_directory,
                               lowers ? text::Casing::lowercase : text::Casing::as_written);
}

void check_batches(const FinetuneOptions& options, const EmbedData& data, const model::SentenceModules& modules) {
  if (data.loss == SentenceLoss::ranking && options.batch_size < 2) {
    throw UsageError("--batch-size", "expected at least 2 for ranking, which compares the rows of a step, got 1");
  }
  const size_t longest = modules.max_seq_length.value() * data.train.examples.rows.texts_per_row;
  if (longest <= options.batch_tokens) return;
  throw UsageError("--batch-tokens", fmt::format("expected at least {}, a row of the longest texts, got {}", longest,
                                                 options.batch_tokens));
}

}  // namespace

EmbedTask::EmbedTask(const TaskInputs& inputs) : options_(inputs.request.options) {
  model::SentenceModules modules = modules_for(inputs);
  SentenceReading reading{.prompt = prompt_of(modules, inputs.request.model),
                          .cut = {.truncation = options_.truncation, .max_length = modules.max_seq_length}};
  if (!reading.prompt.empty()) {
    data_.notices.push_back(fmt::format("{}: its prompt '{}' stands before every text, as it does for 'summand embed'",
                                        inputs.request.model, printable(reading.prompt)));
  }
  std::vector<std::string> before = std::move(data_.notices);
  data_ = read_embed_data(inputs.request, own_tokenizer(inputs.checkpoint, modules), std::move(reading));
  data_.notices.insert(data_.notices.begin(), before.begin(), before.end());
  if (!options_.embed.loss)
    data_.notices.push_back(fmt::format("--loss: not given, so it is {}", model::name_of(data_.loss)));
  metric_ = metric_of(options_, data_.loss);
  check_batches(options_, data_, modules);
  fit_to_teacher(modules, inputs, data_);
  if (options_.freeze == inputs.checkpoint.config.config.num_hidden_layers && model::dense_steps(modules).empty()) {
    throw UsageError("--freeze", fmt::format("expected less than {}, all layers of the model: nothing is left to learn",
                                             *options_.freeze));
  }
  initial_ = initial_model_for(inputs, modules);
  objective_ = std::make_unique<const SentenceObjective>(SentenceObjectiveOptions{.loss = data_.loss,
                                                                                  .modules = std::move(modules),
                                                                                  .scale = options_.embed.scale,
                                                                                  .batch_tokens = options_.batch_tokens,
                                                                                  .precision = options_.precision,
                                                                                  .seed = options_.seed});
  pooler_ = inputs.checkpoint.parts.pooler;
  order_ = std::make_unique<RowOrder>(data_.train.size(), options_.seed);
}

StepWork EmbedTask::accumulate_gradients(const Network& network, int64_t step, const Share&) {
  const auto chosen = order_->next(options_.batch_size);
  return objective_->add_gradients(network, data_.train.examples, chosen, step);
}

Validation EmbedTask::validate(const Network& network) const {
  const auto judgement = judge(*objective_, network, data_.valid.examples);
  const auto scores = sentence_scores(data_.loss, judgement, {.count = 0});
  OrderedJson numbers;
  Validation validation;
  validation.score = score_named(scores, metric_)->value;
  validation.loss = score_named(scores, "loss")->value;
  validation.text = fmt::format("validation loss {:.4f}", score_named(scores, "loss")->value);
  for (const Score& score : scores) {
    numbers[score.name] = score.value;
    if (score.name != "loss") validation.text += fmt::format(", {} {:.4f}", score.name, score.value);
  }
  validation.numbers = numbers.dump();
  return validation;
}

OrderedJson EmbedTask::numbers(const Sums& sums) const {
  const double rows = sums.at("rows");
  OrderedJson json{{"loss", sums.at("loss") / rows}, {"rows", rows}};
  if (data_.loss == SentenceLoss::ranking) json["accuracy"] = ratio(sums.at("right"), sums.at("compared"));
  return json;
}

OrderedJson EmbedTask::state() const {
  const RowPlace place = order_->place();
  return {{"place", {{"epoch", place.epoch}, {"row", place.row}}}};
}

void EmbedTask::restore(const nlohmann::json& state) {
  const auto& place = state.at("place");
  const size_t row = place.at("row");
  if (row > data_.train.size()) {
    throw CheckpointError("state.json", fmt::format("place.row: expected at most {}, got {}", data_.train.size(), row));
  }
  order_->go_to({.epoch = place.at("epoch"), .row = row});
}

OrderedJson EmbedTask::data() const {
  OrderedJson json(data_.hashes);
  json["loss"] = model::name_of(data_.loss);
  return json;
}

bool EmbedTask::has(Portion portion) const {
  switch (portion) {
    case Portion::validation:
      return true;
    case Portion::test:
      return data_.test.has_value();
    case Portion::prediction:
      return false;
  }
  __builtin_unreachable();
}

const EmbedRows& EmbedTask::rows(Portion portion) const {
  return portion == Portion::test ? data_.test.value() : data_.valid;
}

Evaluation EmbedTask::evaluate(const Network& network, Portion portion) const {
  const EmbedRows& of = rows(portion);
  const SentenceJudgement judged = judge(*objective_, network, of.examples);
  return embed_evaluation(data_.loss, of, judged, {.seed = options_.seed});
}

std::vector<std::string> EmbedTask::add_baselines(const Network& network,
                                                  std::map<Portion, Evaluation>& evaluations) const {
  const Network before(initial_.config, initial_.parts, initial_.weights, network.parameters().placement(),
                       initial_.more);
  for (auto& [portion, evaluation] : evaluations) {
    const SentenceJudgement judged = judge(*objective_, before, rows(portion).examples);
    evaluation.baselines.push_back(
        {.name = "before training", .scores = sentence_scores(data_.loss, judged, {.seed = options_.seed})});
    check_interruption();
  }
  return {};
}

TokenizerContents EmbedTask::more_files() const {
  return sentence_files(objective_->options().modules, static_cast<size_t>(initial_.config.hidden_size), pooler_);
}

std::unique_ptr<FinetuningTask> make_embed_task(const TaskInputs& inputs) {
  return std::make_unique<EmbedTask>(inputs);
}

}  // namespace summand::train
