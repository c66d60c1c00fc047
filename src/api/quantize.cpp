#include "summand/quantize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/thread_pool.hpp"
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
  switch (checkpoint.config.config.weight_format) {
    case model::WeightFormat::floating:
      return;
    case model::WeightFormat::summand_int8:
      throw CheckpointError(path_text(checkpoint.directory),
                            "expected a checkpoint with weights in floating point, got one that is in 8 bits already");
  }
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

/// The length of the difference over the length of the row, of which zeros have none.
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
  for (const auto& [name, tensor] : weights) bytes += tensor.bytes.size() + tensor.row_scales.size() * sizeof(float);
  return bytes;
}

/// The weights with the encoder's in 8 bits.
model::Weights quantized(const io::Checkpoint& checkpoint, const QuantizeOptions& options, QuantizeReport& report) {
  const auto list = dense_weights(checkpoint);
  std::vector<model::Tensor> tensors(list.size());
  std::vector<RowErrors> errors(list.size());
  ThreadPool::shared().run(list.size(), threads_of(options), [&](size_t index, int) {
    const model::Tensor& weight = checkpoint.weights.at(list[index].name);
    tensors[index] = as_tensor(model::quantize_weight(weight));
    errors[index] = row_errors(weight, tensors[index]);
    if (options.on_step) options.on_step();
  });
  model::Weights weights = checkpoint.weights;
  for (size_t index = 0; index < list.size(); ++index) {
    weights.set(list[index].name, std::move(tensors[index]));
    add(list[index], errors[index], report.layers);
    report.in_8_bits += elements(list[index]);
  }
  return weights;
}

}  // namespace

QuantizeReport quantize(const std::filesystem::path& model, const std::filesystem::path& out,
                        const QuantizeOptions& options) {
  const auto checkpoint = io::load_checkpoint(io::resolve_model(model.string()), threads_of(options));
  require_floating(checkpoint);
  io::OutputDirectory directory(out);
  QuantizeReport report{.directory = checkpoint.directory, .out = out, .notices = checkpoint.notices};
  const auto weights = quantized(checkpoint, options, report);
  io::copy_checkpoint(checkpoint, {.weights = weights, .weight_format = model::WeightFormat::summand_int8}, directory,
                      options.on_step);
  for (const auto& [name, tensor] : weights) report.parameters += tensor.elements();
  report.bytes_before = bytes_of(checkpoint.weights);
  report.bytes_after = bytes_of(weights);
  directory.commit();
  return report;
}

}  // namespace summand
