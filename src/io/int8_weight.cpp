#include "io/int8_weight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "model/quantization.hpp"

namespace summand::io {

namespace {

[[noreturn]] void refuse(const StoredTensor& stored, std::string_view expected, std::string_view got) {
  throw CheckpointError(path_text(stored.file), fmt::format("'{}': expected {} in a checkpoint in 8 bits, got {}",
                                                            printable(stored.stored_name), expected, got));
}

void require(const StoredTensor& stored, model::DType dtype, const std::vector<size_t>& shape) {
  if (stored.unsupported.empty() && stored.tensor.dtype == dtype && stored.tensor.shape == shape) return;
  refuse(stored, fmt::format("{} {}", model::name_of(dtype), model::describe(std::span<const size_t>(shape))),
         stored.unsupported.empty() ? model::describe(stored.tensor) : stored.unsupported);
}

void check_values(const StoredTensor& stored) {
  const auto bytes = stored.tensor.bytes;
  const auto found = std::ranges::find(bytes, std::byte{0x80});
  if (found != bytes.end()) refuse(stored, "-127 to 127", fmt::format("-128 at element {}", found - bytes.begin()));
}

std::vector<float> scales_of(const StoredTensor& stored) {
  auto scales = model::to_floats(stored.tensor);
  const auto wrong = [](float scale) { return !(scale >= 0 && scale <= model::kLargestScale); };
  const auto found = std::ranges::find_if(scales, wrong);
  if (found != scales.end()) {
    refuse(stored, fmt::format("0 to {:.3g}", model::kLargestScale),
           fmt::format("{} at element {}", *found, found - scales.begin()));
  }
  return scales;
}

std::vector<float> factors_of(const model::Parameter& parameter, const WeightFiles& files) {
  const StoredTensor& stored = files.tensors.find(model::factor_name(parameter.name))->second;
  require(stored, model::DType::f32, {parameter.shape.at(1)});
  auto factors = model::to_floats(stored.tensor);
  const auto wrong = [](float factor) { return !(factor >= model::kLeastFactor && factor <= model::kLargestFactor); };
  const auto bad = std::ranges::find_if(factors, wrong);
  if (bad != factors.end()) {
    refuse(stored, fmt::format("{:.3g} to {:.3g}", model::kLeastFactor, model::kLargestFactor),
           fmt::format("{} at element {}", *bad, bad - factors.begin()));
  }
  return factors;
}

}  // namespace

model::Tensor int8_weight(const model::Parameter& parameter, model::WeightFormat format, const WeightFiles& files) {
  const StoredTensor& values = files.tensors.find(parameter.name)->second;
  const StoredTensor& scales = files.tensors.find(model::scale_name(parameter.name))->second;
  require(values, model::DType::i8, parameter.shape);
  require(scales, model::DType::f32, {parameter.shape.at(0)});
  check_values(values);
  model::Tensor weight = values.tensor;
  weight.row_scales = scales_of(scales);
  if (format == model::WeightFormat::summand_int8_calibrated) weight.column_factors = factors_of(parameter, files);
  return weight;
}

void check_shared_factors(const model::Config& config, const model::Weights& weights,
                          const std::filesystem::path& file) {
  for (size_t layer = 0; layer < static_cast<size_t>(config.num_hidden_layers); ++layer) {
    const model::Tensor* first = nullptr;
    std::string first_name;
    for (const auto* kind : {"query", "key", "value"}) {
      const std::string name = model::layer_parameter(layer, fmt::format("attention.self.{}.weight", kind));
      const model::Tensor* weight = weights.find(name);
      if (weight == nullptr) continue;
      if (first != nullptr && weight->column_factors != first->column_factors) {
        throw CheckpointError(path_text(file), fmt::format("'{}': expected the numbers of '{}', got others",
                                                           model::factor_name(name), model::factor_name(first_name)));
      }
      if (first == nullptr) first_name = name;
      first = weight;
    }
  }
}

}  // namespace summand::io
