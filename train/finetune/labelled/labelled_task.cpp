#include "train/finetune/labelled/labelled_task.hpp"

#include <c10/core/GradMode.h>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "model/window_bert.hpp"
#include "train/finetune/finetune.hpp"
#include "train/finetune/judging/baselines.hpp"
#include "train/finetune/labelled/class_weights.hpp"
#include "train/finetune/labelled/labelled_model.hpp"
#include "train/finetune/labelled/window_encoding.hpp"
#include "train/finetune/labelled/window_logits.hpp"
#include "train/network/autocast.hpp"
#include "train/network/products.hpp"
#include "train/run/ratio.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

Objective objective_of(const FinetuneOptions& options) {
  switch (label_shape(options)) {
    case LabelShape::one:
    case LabelShape::by_word:
      return Objective::one_label;
    case LabelShape::several:
      return Objective::several_labels;
    case LabelShape::number:
      return options.task == FinetuneTask::rank ? Objective::relevance : Objective::number;
  }
  __builtin_unreachable();
}

std::string metric_for(const FinetuneOptions& options, std::span<const std::string> names) {
  const bool spans = options.task == FinetuneTask::tag && name_spans(names);
  if (options.metric == "span_f1" && !spans) {
    throw UsageError("--metric",
                     fmt::format("expected labels O, B-… and I-… with span_f1, got {}", quoted_list(names)));
  }
  if (options.metric) return *options.metric;
  return spans ? "span_f1" : std::string(metrics_of(options).front());
}

std::vector<float> floats_of(const at::Tensor& tensor) {
  const at::Tensor own = tensor.detach().to(at::TensorOptions().dtype(at::kFloat).device(at::kCPU)).contiguous();
  return {own.const_data_ptr<float>(), own.const_data_ptr<float>() + own.numel()};
}

/// The rows' right labels, of one_label.
uint64_t count_right(const at::Tensor& logits, std::span<const EncodedRow> rows, std::span<const size_t> chosen) {
  const at::Tensor most = logits.detach().argmax(-1).to(at::kCPU);
  const int64_t* found = most.const_data_ptr<int64_t>();
  uint64_t right = 0;
  for (const size_t row : chosen) {
    for (const int32_t label : rows[row].labels) right += label == *found++ ? 1 : 0;
  }
  return right;
}

uint64_t count_labels(std::span<const EncodedRow> rows, std::span<const size_t> chosen) {
  uint64_t count = 0;
  for (const size_t row : chosen) {
    count += static_cast<uint64_t>(std::ranges::count_if(rows[row].labels, [](int32_t l) { return l != kNoLabel; }));
  }
  return count;
}

/// A micro-batch's rows of a share, and where their texts begin in the micro-batch.
struct RowPart {
  std::vector<size_t> rows;
  PlaceInBatch place;
  PlaceInBatch over_windows;  ///< where they begin as texts of windows
};

RowPart part_of(std::span<const EncodedRow> rows, const std::vector<size_t>& batch, const Share& share) {
  std::vector<size_t> offsets{0}, texts{0}, places{0};
  for (const size_t row : batch) {
    offsets.push_back(offsets.back() + rows[row].tokens_read());
    texts.push_back(texts.back() + rows[row].texts_read());
    places.push_back(places.back() + window_places(rows[row]));
  }
  const auto [begin, end] = share.of(offsets);
  const auto first = batch.begin() + static_cast<std::ptrdiff_t>(begin);
  return {.rows = {first, first + static_cast<std::ptrdiff_t>(end - begin)},
          .place = {.text = texts[begin], .token = offsets[begin]},
          .over_windows = {.text = begin, .token = places[begin]}};
}

double value_in(const Sums& sums, const char* name) {
  const auto found = sums.find(name);
  return found == sums.end() ? 0 : found->second;
}

}  // namespace

LabelledTask::LabelledTask(const TaskInputs& inputs)
    : options_(inputs.request.options),
      data_(read_labelled_data(inputs)),
      model_(labelled_model(inputs, data_)),
      head_(head_of(options_.task)),
      metric_(metric_for(options_, names())),
      loss_(objective_of(options_), model_.config.labels.size(),
            class_weights(options_.class_weights, data_.train.encoded.rows, names(), label_shape(options_))),
      order_(data_.train.size(), options_.seed) {}

std::span<const std::string> LabelledTask::names() const {
  return data_.names ? std::span<const std::string>(data_.names->names()) : std::span<const std::string>();
}

OrderedJson LabelledTask::data() const {
  OrderedJson json{{"train", data_.train_hash}, {"valid", data_.valid_hash}};
  if (!loss_.label_weights().empty()) json["label_weights"] = loss_.label_weights();
  return json;
}

const LabelledRows* LabelledTask::rows_of(Portion portion) const {
  switch (portion) {
    case Portion::validation:
      return &data_.valid;
    case Portion::test:
      return data_.test ? &*data_.test : nullptr;
    case Portion::prediction:
      return data_.predict ? &*data_.predict : nullptr;
  }
  __builtin_unreachable();
}

at::Tensor LabelledTask::logits(const Network& network, std::span<const EncodedRow> rows,
                                const std::vector<size_t>& chosen, const PartDropout* dropout) const {
  const auto device = network.parameters().placement().device.type();
  const Autocast autocast(options_.precision, device);
  const model::Batch batch = batch_of(rows, chosen);
  const Dropout* const of_network = dropout == nullptr ? nullptr : &dropout->network;
  // A pooler reads first tokens: the last layer leaves out the others, where dropout is drawn by a token's place.
  const std::vector<size_t> first(batch.offsets.begin(), batch.offsets.end() - 1);
  const bool is_enough =
      model::reads_pooled_output(head_) && has_own_passes(network.parameters().at("embeddings.word_embeddings.weight"));
  const Pass pass = network.run(batch, of_network, is_enough ? first : std::vector<size_t>());
  if (encodes_windows(options_)) {
    return encoded_windows(network, network.last_rows(pass, first), rows, chosen,
                           dropout == nullptr ? nullptr : &dropout->over_windows);
  }
  const at::Tensor logits = network.logits(head_, pass, {}, of_network);
  if (!options_.windows) return logits;
  const Autocast exact(Precision::fp32, device);
  return combine_windows(logits, rows, chosen, {.head = head_, .pooling = options_.windows->pooling});
}

LabelledTask::Output LabelledTask::output(const Network& network, const LabelledRows& rows,
                                          const std::vector<size_t>& chosen, Truth truth,
                                          const PartDropout* dropout) const {
  const std::vector<EncodedRow>& encoded = rows.encoded.rows;
  Output output{.logits = logits(network, encoded, chosen, dropout)};
  if (truth == Truth::known) output.loss = loss_.sum(output.logits, encoded, chosen);
  return output;
}

StepWork LabelledTask::accumulate_gradients(const Network& network, int64_t step, const Share& share) {
  const std::vector<EncodedRow>& rows = data_.train.encoded.rows;
  const std::vector<size_t> chosen = order_.next(options_.batch_size);
  const double weight = loss_.denominator(rows, chosen);
  const auto batches =
      micro_batches(chosen, options_.batch_tokens, [&](size_t row) { return rows[row].tokens_read(); });
  const bool one_label = objective_of(options_) == Objective::one_label;
  StepWork work;
  double loss = 0, right = 0;
  std::vector<size_t> computed;
  for (size_t i = 0; i < batches.size(); ++i) {
    const auto [own, place, over_windows] = part_of(rows, batches[i], share);
    if (own.empty()) continue;
    computed.insert(computed.end(), own.begin(), own.end());
    const uint64_t part = static_cast<uint64_t>(step) * options_.batch_size + i;
    const PartDropout dropout{
        .network = Dropout(network.config(), options_.seed, part, place),
        .over_windows = Dropout(network.config(), options_.seed, part, over_windows, model::kWindowEncoderPrefix)};
    const Output made = output(network, data_.train, own, Truth::known, &dropout);
    if (weight > 0) (made.loss / weight).backward();  // without a label nothing is learned
    loss += made.loss.item<double>();
    if (one_label) right += static_cast<double>(count_right(made.logits, rows, own));
    for (const size_t row : own) work.tokens += rows[row].tokens_read();
  }
  work.loss = ratio(loss, weight);
  work.sums = {{"loss", loss}, {"weight", share.size == 1 ? weight : loss_.denominator(rows, computed)}};
  if (one_label) {
    work.sums["right"] = right;
    work.sums["labels"] = static_cast<double>(count_labels(rows, computed));
  }
  return work;
}

OrderedJson LabelledTask::numbers(const Sums& sums) const {
  OrderedJson json{{"loss", ratio(value_in(sums, "loss"), value_in(sums, "weight"))}};
  if (sums.contains("right")) json["accuracy"] = ratio(value_in(sums, "right"), value_in(sums, "labels"));
  return json;
}

LabelledTask::Outputs LabelledTask::outputs(const Network& network, const LabelledRows& rows, Truth truth) const {
  at::NoGradGuard no_gradients;
  const std::vector<EncodedRow>& encoded = rows.encoded.rows;
  std::vector<size_t> all(rows.size());
  std::iota(all.begin(), all.end(), size_t{0});
  Outputs outputs{.logits = RowLogits(rows.size())};
  const auto tokens = [&](size_t row) { return encoded[row].tokens_read(); };
  for (const auto& batch : micro_batches(all, options_.batch_tokens, tokens)) {
    const Output made = output(network, rows, batch, truth);
    if (truth == Truth::known) outputs.loss += made.loss.item<double>();
    const std::vector<float> values = floats_of(made.logits);
    const auto width = static_cast<size_t>(made.logits.size(-1));
    size_t next = 0;
    for (const size_t row : batch) {
      const size_t count = head_ == model::Head::token_classification ? encoded[row].ids.size() : 1;
      for (size_t i = 0; i < count; ++i, ++next) {
        if (head_ == model::Head::token_classification && encoded[row].words[i] < 0) continue;
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(next * width);
        outputs.logits[row].insert(outputs.logits[row].end(), begin, begin + static_cast<std::ptrdiff_t>(width));
      }
    }
  }
  outputs.loss = ratio(outputs.loss, truth == Truth::known ? loss_.denominator(encoded, all) : 0);
  return outputs;
}

Evaluation LabelledTask::judge(const LabelledRows& rows, const RowLogits& logits, Truth truth,
                               const Resampling& resampling) const {
  switch (label_shape(options_)) {
    case LabelShape::one:
      return judge_one_label(rows, logits, names(), truth, resampling);
    case LabelShape::several:
      return judge_several_labels(rows, logits, names(), truth, resampling);
    case LabelShape::by_word:
      return judge_words(rows, logits, names(), truth, resampling);
    case LabelShape::number:
      return options_.task == FinetuneTask::rank ? judge_ranking(rows, logits, truth, resampling)
                                                 : judge_numbers(rows, logits, truth, resampling);
  }
  __builtin_unreachable();
}

Validation LabelledTask::validate(const Network& network) const {
  const Outputs made = outputs(network, data_.valid, Truth::known);
  const Evaluation evaluation = judge(data_.valid, made.logits, Truth::known, {.seed = options_.seed, .count = 0});
  OrderedJson numbers{{"loss", made.loss}};
  Validation validation;
  validation.score = validation.loss = made.loss;
  validation.text = fmt::format("validation loss {:.4f}", made.loss);
  for (const Score& score : evaluation.scores) {
    numbers[score.name] = score.value;
    validation.text += fmt::format(", {} {:.4f}", score.name, score.value);
    if (score.name == metric_) validation.score = score.value;
  }
  validation.numbers = numbers.dump();
  return validation;
}

Evaluation LabelledTask::evaluate(const Network& network, Portion portion) const {
  const LabelledRows& rows = *rows_of(portion);
  const Truth truth = portion == Portion::prediction ? Truth::unknown : Truth::known;
  const Resampling resampling{.seed = options_.seed};
  return judge(rows, outputs(network, rows, truth).logits, truth, resampling);
}

std::vector<std::string> LabelledTask::add_baselines(const Network&, std::map<Portion, Evaluation>& evaluations) const {
  const FittedBaselines fitted = fit_baselines(options_, data_.train, names());
  for (auto& [portion, evaluation] : evaluations) {
    if (portion == Portion::prediction) continue;
    for (const FittedBaseline& baseline : fitted.all) {
      evaluation.baselines.push_back({.name = baseline.name, .scores = baseline.scores(*rows_of(portion))});
    }
  }
  if (fitted.left_out.empty()) return {};
  return {fitted.left_out};
}

OrderedJson LabelledTask::state() const {
  const RowPlace place = order_.place();
  return {{"place", {{"epoch", place.epoch}, {"row", place.row}}}};
}

void LabelledTask::restore(const nlohmann::json& state) {
  const auto& place = state.at("place");
  const RowPlace read{.epoch = place.at("epoch"), .row = place.at("row")};
  if (read.row > data_.train.size()) {
    throw CheckpointError("state.json", fmt::format("place.row: expected at most {}, the training rows, got {}",
                                                    data_.train.size(), read.row));
  }
  order_.go_to(read);
}

std::unique_ptr<FinetuningTask> make_labelled_task(const TaskInputs& inputs) {
  return std::make_unique<LabelledTask>(inputs);
}

}  // namespace summand::train
