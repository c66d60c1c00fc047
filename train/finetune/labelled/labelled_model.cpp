#include "train/finetune/labelled/labelled_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "base/error.hpp"
#include "model/tensor.hpp"
#include "model/window_bert.hpp"

#include "train/finetune/finetune.hpp"

namespace summand::train {

namespace {

model::ProblemType problem_type(const FinetuneOptions& options) {
  switch (options.task) {
    case FinetuneTask::classify:
    case FinetuneTask::pair:
      return options.multi_label ? model::ProblemType::multi_label_classification
                                 : model::ProblemType::single_label_classification;
    case FinetuneTask::regress:
      return model::ProblemType::regression;
    case FinetuneTask::tag:
    case FinetuneTask::rank:
    case FinetuneTask::embed:
      return model::ProblemType::unspecified;
  }
  __builtin_unreachable();
}

/// What a checkpoint has to say of it: nothing where every model is read so.
std::optional<Reading> trained_reading(const TaskInputs& inputs) {
  const FinetuneOptions& options = inputs.request.options;
  const auto positions = static_cast<size_t>(inputs.checkpoint.config.config.max_position_embeddings);
  const Reading usual{.length = {.truncation = text::Truncation::longest_first, .max_length = positions}};
  Reading reading{.length = {.max_length = longest_row(inputs)}, .windows = options.windows};
  if (!reading.windows) reading.length.truncation = options.truncation;
  return reading == usual ? std::nullopt : std::optional(reading);
}

model::Config config_for(const TaskInputs& inputs, const LabelledData& data) {
  const FinetuneOptions& options = inputs.request.options;
  model::Config config = inputs.checkpoint.config.config;
  config.weight_format = model::WeightFormat::floating;
  if (options.dropout) {
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = *options.dropout;
    config.classifier_dropout = {};
  }
  check_trainable(config, inputs.checkpoint.config.where);
  const bool words = options.task == FinetuneTask::tag;
  config.architectures = {words ? "BertForTokenClassification" : "BertForSequenceClassification"};
  config.problem_type = problem_type(options);
  config.reading = trained_reading(inputs);
  config.window_encoder = encodes_windows(options) ? std::optional(options.window_encoder) : std::nullopt;
  config.labels = data.names ? model::Labels{.names = data.names->names()} : model::numbered_labels(1);
  return config;
}

/// A head of numbers begins at their mean: its bias moves by about the learning rate in a step.
void begin_at_mean(InitialModel& initial, std::span<const EncodedRow> rows, const TaskInputs& inputs) {
  constexpr double kWide = 5;  // of a standard deviation
  const auto count = static_cast<double>(rows.size());
  double sum = 0, squares = 0;
  for (const EncodedRow& row : rows) sum += row.number;
  const double mean = sum / count;
  for (const EncodedRow& row : rows) squares += (row.number - mean) * (row.number - mean);
  const auto bias = static_cast<float>(mean);
  initial.weights.set("classifier.bias", model::make_tensor({1}, std::span(&bias, 1)));
  const double spread = std::sqrt(squares / count);
  if (spread <= kWide) return;
  initial.notices.push_back(fmt::format(
      "{}: the labels have a standard deviation of {:.4g}: divided by it they are learned in far fewer steps",
      printable(inputs.request.train), spread));
}

/// Leaves out a transformer over windows that is not what this run wants, and says what it begins with.
void settle_window_encoder(InitialModel& initial, const TaskInputs& inputs) {
  const auto& own = inputs.checkpoint.config.config.window_encoder;
  const auto& wanted = initial.config.window_encoder;
  if (own == wanted) return;
  const std::string& name = inputs.request.model;
  if (own && !wanted) {
    initial.notices.push_back(fmt::format("{}: its transformer over windows is left out", name));
  } else {
    initial.notices.push_back(fmt::format("{}: {} transformer over windows{}: drawn by --seed", name,
                                          own ? "its" : "has no", own ? " has another size" : ""));
  }
  for (const auto& [parameter, tensor] : inputs.checkpoint.weights) {
    if (parameter.starts_with(model::kWindowEncoderPrefix)) initial.weights.erase(parameter);
  }
}

}  // namespace

InitialModel labelled_model(const TaskInputs& inputs, const LabelledData& data) {
  const io::Checkpoint& checkpoint = inputs.checkpoint;
  const model::Head head = head_of(inputs.request.options.task);
  InitialModel initial{.config = config_for(inputs, data), .parts = {.heads = {head}}, .weights = checkpoint.weights};
  if (model::reads_pooled_output(head)) initial.parts.pooler = model::Pooler::present;
  initial.init_hash = hash_of_weights(checkpoint.weights);
  initial.notices = checkpoint.notices;
  settle_window_encoder(initial, inputs);
  const std::string& name = inputs.request.model;
  if (const auto drawn = parts_beyond(initial.parts, checkpoint.parts); !drawn.empty()) {
    initial.notices.push_back(fmt::format("{}: has no {}: drawn by --seed", name, drawn));
  }
  const bool one_number = !data.names && checkpoint.parts.has(head) && checkpoint.config.config.labels.size() == 1;
  if (data.keeps_head || one_number) return initial;
  if (checkpoint.parts.has(head)) {
    initial.notices.push_back(
        fmt::format("{}: its {} head has other labels: drawn by --seed", name, model::name_of(head)));
  }
  initial.weights.erase("classifier.weight");  // also of a head of the other kind
  initial.weights.erase("classifier.bias");
  if (inputs.request.options.task == FinetuneTask::regress) begin_at_mean(initial, data.train.encoded.rows, inputs);
  return initial;
}

}  // namespace summand::train
