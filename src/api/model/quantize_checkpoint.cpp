#include "summand/quantize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/batches/record_batches.hpp"
#include "api/model/loaded_model.hpp"
#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/thread_pool.hpp"
#include "calibration/calibrate.hpp"
#include "calibration/sample_texts.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_copy.hpp"
#include "io/output_directory.hpp"
#include "io/resolve_model.hpp"
#include "model/parameters.hpp"
#include "model/quantization.hpp"

namespace summand {

namespace {

/// Rounding errors of one weight's rows.
struct RowErrors {
  double sum = 0;
  double largest = 0;
};

int threads_of(const QuantizeOptions& options) {
  if (options.threads < 0) {
    throw UsageError("quantize", fmt::format("threads: expected at least 0, got {}", options.threads));
  }
  return options.threads == 0 ? available_threads() : options.threads;
}

void require_floating(const io::Checkpoint& checkpoint) {
  if (!model::is_in_8_bits(checkpoint.config.config.weight_format)) return;
  throw CheckpointError(path_text(checkpoint.directory),
                        "expected a checkpoint with weights in floating point, got one that is in 8 bits already");
}

std::vector<model::Parameter> dense_weights(const io::Checkpoint& checkpoint) {
  auto list = model::parameters(checkpoint.config.config, checkpoint.parts);
  std::erase_if(list, [](const model::Parameter& parameter) { return !model::is_dense_weight(parameter); });
  return list;
}

model::Tensor as_tensor(model::QuantizedWeight weight) {
  model::Tensor tensor = model::tensor_of(model::DType::i8, {weight.out, weight.in}, std::move(weight.values));
  tensor.row_scales = std::move(weight.scales);
  return tensor;
}

/// Norm of the difference over the norm of the row; 0 for a zero row.
double row_error(std::span<const float> row, std::span<const float> rounded) {
  double difference = 0;
  double length = 0;
  for (size_t k = 0; k < row.size(); ++k) {
    difference += std::pow(double{row[k]} - double{rounded[k]}, 2);
    length += std::pow(double{row[k]}, 2);
  }
  return length > 0 ? std::sqrt(difference / length) : 0;
}

RowErrors row_errors(const model::Tensor& weight, const model::Tensor& quantized) {
  const auto before = model::to_matrix<float>(weight);
  const auto after = model::to_matrix<float>(quantized);
  RowErrors errors;
  for (size_t row = 0; row < before.rows(); ++row) {
    const double error = row_error(before.row(row), after.row(row));
    errors.sum += error;
    errors.largest = std::max(errors.largest, error);
  }
  return errors;
}

/// "attention.self.query" of "encoder.layer.3.attention.self.query.weight"
std::string kind_of(const std::string& name) {
  constexpr std::string_view kBefore = "encoder.layer.";
  constexpr std::string_view kAfter = ".weight";
  const size_t begin = name.find('.', kBefore.size()) + 1;
  return name.substr(begin, name.size() - kAfter.size() - begin);
}

void add(const model::Parameter& parameter, const RowErrors& errors, std::vector<QuantizedLayers>& layers) {
  const std::string kind = kind_of(parameter.name);
  auto found = std::ranges::find(layers, kind, &QuantizedLayers::kind);
  if (found == layers.end()) found = layers.insert(layers.end(), {.kind = kind});
  const double sum = found->mean_error * static_cast<double>(found->outputs) + errors.sum;
  found->weights += elements(parameter);
  found->outputs += parameter.shape.at(0);
  found->mean_error = sum / static_cast<double>(found->outputs);
  found->largest_error = std::max(found->largest_error, errors.largest);
}

uint64_t bytes_of(const model::Weights& weights) {
  uint64_t bytes = 0;
  for (const auto& [name, tensor] : weights) {
    bytes += tensor.bytes.size() + (tensor.row_scales.size() + tensor.column_factors.size()) * sizeof(float);
  }
  return bytes;
}

/// The weights with the encoder's in 8 bits, each rounded to the nearest.
model::Weights rounded(const io::Checkpoint& checkpoint, const QuantizeOptions& options) {
  const auto list = dense_weights(checkpoint);
  std::vector<model::Tensor> tensors(list.size());
  ThreadPool::shared().run(list.size(), threads_of(options), [&](size_t index, int) {
    tensors[index] = as_tensor(model::quantize_weight(checkpoint.weights.at(list[index].name)));
    if (options.on_step) options.on_step();
  });
  model::Weights weights = checkpoint.weights;
  for (size_t index = 0; index < list.size(); ++index) weights.set(list[index].name, std::move(tensors[index]));
  return weights;
}

/// The same, rounded with the layers' inputs on texts.
model::Weights calibrated(const api::LoadedModel& model, const QuantizeOptions& options, QuantizeReport& report) {
  constexpr size_t kMostTokens = 16384;
  api::RecordBatches batches(model, options.calibration, {.batch_tokens = kMostTokens});
  const auto read = batches.next();
  if (!read || read->batch.tokens() == 0) throw UsageError("calibration", "expected texts with tokens, got none");
  report.calibration = read->count;
  return calibration::calibrate({.engine = model.engine(),
                                 .weights = model.checkpoint().weights,
                                 .batch = read->batch,
                                 .threads = threads_of(options),
                                 .on_step = options.on_step});
}

/// What rounding did to each kind of layer.
void measure(const io::Checkpoint& checkpoint, const model::Weights& weights, const QuantizeOptions& options,
             QuantizeReport& report) {
  const auto list = dense_weights(checkpoint);
  std::vector<RowErrors> errors(list.size());
  ThreadPool::shared().run(list.size(), threads_of(options), [&](size_t index, int) {
    errors[index] = row_errors(checkpoint.weights.at(list[index].name), weights.at(list[index].name));
  });
  for (size_t index = 0; index < list.size(); ++index) {
    add(list[index], errors[index], report.layers);
    report.in_8_bits += elements(list[index]);
  }
}

api::LoadedModel load_in_fp32(const std::filesystem::path& directory, int threads) {
  return api::LoadedModel::load(directory.string(), {.threads = threads, .precision = Precision::fp32});
}

}  // namespace

std::vector<Text> calibration_sample() {
  std::vector<Text> texts;
  for (auto& text : calibration::sample_texts()) texts.emplace_back(std::move(text));
  return texts;
}

QuantizeReport quantize(const std::filesystem::path& model, const std::filesystem::path& out,
                        const QuantizeOptions& options) {
  const int threads = threads_of(options);
  const auto directory = io::resolve_model(model.string());
  const bool calibrates = !options.calibration.empty();
  // A model that calibrates has been loaded whole; any other is looked at alone.
  std::optional<api::LoadedModel> running;
  if (calibrates) running = load_in_fp32(directory, threads);
  const auto checkpoint = running ? running->checkpoint() : io::load_checkpoint(directory, threads);
  require_floating(checkpoint);
  io::OutputDirectory output(out);
  QuantizeReport report{.directory = checkpoint.directory, .out = out, .notices = checkpoint.notices};
  const auto weights = running ? calibrated(*running, options, report) : rounded(checkpoint, options);
  measure(checkpoint, weights, options, report);
  const auto format = calibrates ? model::WeightFormat::summand_int8_calibrated : model::WeightFormat::summand_int8;
  io::copy_checkpoint(checkpoint, {.weights = weights, .weight_format = format}, output, options.on_step);
  for (const auto& [name, tensor] : weights) report.parameters += tensor.elements();
  report.bytes_before = bytes_of(checkpoint.weights);
  report.bytes_after = bytes_of(weights);
  output.commit();
  return report;
}

}  // namespace summand
