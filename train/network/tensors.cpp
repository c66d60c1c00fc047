#include "train/network/tensors.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "model/parameters.hpp"
#include "model/tensor.hpp"

namespace summand::train {

namespace {

at::Tensor placed(const at::Tensor& tensor, const Placement& placement) {
  return tensor.to(at::TensorOptions().dtype(placement.type).device(placement.device));
}

/// Indices on their device; a GPU fetches them while the processor goes on.
at::Tensor sent(const at::Tensor& indices, const at::Device& device) {
  return device.is_cuda() ? indices.pin_memory().to(device, /*non_blocking=*/true) : indices.to(device);
}

bool is_trained(model::Initialiser initialiser) {
  return initialiser != model::Initialiser::fixed_normal && initialiser != model::Initialiser::token_directions;
}

std::vector<int64_t> shape_of(const std::vector<size_t>& shape) {
  return {shape.begin(), shape.end()};
}

}  // namespace

at::Tensor tensor_of(const Matrix<double>& numbers, const Placement& placement) {
  const auto tensor = at::empty({static_cast<int64_t>(numbers.rows()), static_cast<int64_t>(numbers.columns())},
                                at::TensorOptions().dtype(at::kDouble));
  std::ranges::copy(numbers.elements(), tensor.mutable_data_ptr<double>());
  return placed(tensor, placement);
}

at::Tensor index_tensor(std::span<const int32_t> indices, const Placement& placement) {
  const auto tensor = at::empty({static_cast<int64_t>(indices.size())}, at::TensorOptions().dtype(at::kLong));
  std::ranges::copy(indices, tensor.mutable_data_ptr<int64_t>());
  return sent(tensor, placement.device);
}

at::Tensor index_tensor(const std::vector<size_t>& indices, const Placement& placement) {
  const auto tensor = at::empty({static_cast<int64_t>(indices.size())}, at::TensorOptions().dtype(at::kLong));
  std::ranges::transform(indices, tensor.mutable_data_ptr<int64_t>(),
                         [](size_t index) { return static_cast<int64_t>(index); });
  return sent(tensor, placement.device);
}

at::Tensor index_tensor(const Matrix<int32_t>& indices, const Placement& placement) {
  const auto flat = index_tensor(std::span<const int32_t>(indices.elements()), placement);
  return flat.view({static_cast<int64_t>(indices.rows()), static_cast<int64_t>(indices.columns())});
}

model::Tensor weight_of(const at::Tensor& tensor) {
  const at::Tensor own = tensor.detach().to(at::TensorOptions().dtype(at::kFloat).device(at::kCPU)).contiguous();
  const std::span<const float> values(own.const_data_ptr<float>(), static_cast<size_t>(own.numel()));
  return model::make_tensor({own.sizes().begin(), own.sizes().end()}, values);
}

Parameters::Parameters(const model::Config& config, const model::ModelParts& parts, const model::Weights& weights,
                       const Placement& placement, std::span<const model::Parameter> more)
    : placement_(placement) {
  for (const auto& parameter : model::parameters(config, parts)) add(parameter, weights);
  for (const auto& parameter : more) add(parameter, weights);
}

Parameters::Parameters(const Parameters& others, const std::function<std::string_view(std::string_view)>& renamed)
    : placement_(others.placement_) {
  for (const auto& [name, tensor] : others.all_) {
    const std::string own(renamed(name));
    if (own.empty()) continue;
    all_.emplace_back(own, tensor);
    parts_[own] = others.part_of(name);
  }
}

void Parameters::add(const model::Parameter& parameter, const model::Weights& weights) {
  const model::Tensor& stored = weights.at(parameter.name);
  if (stored.shape != parameter.shape) {
    throw CheckpointError("weights", "'" + parameter.name + "': expected " + model::describe(parameter.shape) +
                                         ", got " + model::describe(stored.shape));
  }
  const auto values = model::to_doubles(stored);
  const auto numbers = at::empty(shape_of(parameter.shape), at::TensorOptions().dtype(at::kDouble));
  std::ranges::copy(values, numbers.mutable_data_ptr<double>());
  at::Tensor tensor = placed(numbers, placement_);
  tensor.set_requires_grad(is_trained(parameter.initialiser));
  all_.emplace_back(parameter.name, std::move(tensor));
  parts_[parameter.name] = std::string(name_of(parameter.part));
}

const at::Tensor* Parameters::find(const std::string& name) const {
  const auto found = std::ranges::find(all_, name, &std::pair<std::string, at::Tensor>::first);
  return found == all_.end() ? nullptr : &found->second;
}

const at::Tensor& Parameters::at(const std::string& name) const {
  const at::Tensor* found = find(name);
  if (found == nullptr) throw CheckpointError("weights", "'" + name + "' is missing");
  return *found;
}

model::Weights Parameters::weights() const {
  model::Weights weights;
  for (const auto& [name, tensor] : all_) weights.set(name, weight_of(tensor));
  return weights;
}

}  // namespace summand::train
