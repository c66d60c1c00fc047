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

}  // namespace

model::Tensor int8_weight(const model::Parameter& parameter, const WeightFiles& files) {
  const StoredTensor& values = files.tensors.find(parameter.name)->second;
  const StoredTensor& scales = files.tensors.find(model::scale_name(parameter.name))->second;
  require(values, model::DType::i8, parameter.shape);
  require(scales, model::DType::f32, {parameter.shape.at(0)});
  check_values(values);
  model::Tensor weight = values.tensor;
  weight.row_scales = scales_of(scales);
  return weight;
}

}  // namespace summand::io
