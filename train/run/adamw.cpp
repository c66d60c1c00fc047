#include "train/run/adamw.hpp"

#include <c10/core/GradMode.h>

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "model/tensor.hpp"

namespace summand::train {

namespace {

constexpr std::string_view kAverage = "average.";
constexpr std::string_view kSquare = "square.";

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> gradients;
  for (const auto& parameter : parameters) {
    // One that no output reads, such as a term that is left out, has none.
    gradients.push_back(parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter));
  }
  return gradients;
}

void copy_numbers(const model::Tensor& from, const at::Tensor& to, const std::string& name) {
  const std::vector<int64_t> shape(from.shape.begin(), from.shape.end());
  if (!to.sizes().equals(shape)) {
    throw CheckpointError("optimiser",
                          fmt::format("'{}': expected {} numbers, got {}", name, to.numel(), from.elements()));
  }
  const auto numbers = model::to_floats(from);
  at::NoGradGuard no_gradients;
  to.copy_(at::from_blob(const_cast<float*>(numbers.data()), to.sizes(), at::kFloat));  // from_blob takes no const
}

}  // namespace

AdamW::AdamW(const Parameters& parameters, const AdamWOptions& options, const RateFactor& rate) : options_(options) {
  for (const auto& [name, tensor] : parameters.all()) {
    if (!tensor.requires_grad()) continue;
    Group& own = group(tensor.dim() < 2 ? 0 : options.weight_decay, rate ? rate(name) : 1);
    own.names.push_back(name);
    own.parameters.push_back(tensor);
    own.averages.push_back(at::zeros_like(tensor.detach()));
    own.squares.push_back(at::zeros_like(tensor.detach()));
    own.steps.push_back(at::zeros({}, tensor.options().dtype(at::kFloat)));
  }
}

AdamW::Group& AdamW::group(double weight_decay, double rate) {
  for (Group& one : groups_) {
    if (one.weight_decay == weight_decay && one.rate == rate) return one;
  }
  Group& made = groups_.emplace_back();
  made.weight_decay = weight_decay;
  made.rate = rate;
  return made;
}

void AdamW::step(double learning_rate) {
  at::NoGradGuard no_gradients;
  for (Group& group : groups_) {
    for (auto& steps : group.steps) steps.add_(1);
    at::_fused_adamw_(group.parameters, gradients_of(group.parameters), group.averages, group.squares, {}, group.steps,
                      learning_rate * group.rate, options_.beta1, options_.beta2, group.weight_decay, options_.epsilon,
                      false, false);
  }
}

void AdamW::clear_gradients() {
  for (Group& group : groups_) {
    for (auto& parameter : group.parameters) parameter.mutable_grad() = at::Tensor();
  }
}

std::vector<at::Tensor> AdamW::tensors() const {
  std::vector<at::Tensor> all;
  for (const Group& group : groups_) {
    for (const auto* tensors : {&group.averages, &group.squares, &group.steps}) {
      all.insert(all.end(), tensors->begin(), tensors->end());
    }
  }
  return all;
}

model::Weights AdamW::state() const {
  model::Weights state;
  const auto put = [&](std::string_view kind, const std::string& name, const at::Tensor& tensor) {
    state.set(std::string(kind) + name, weight_of(tensor));
  };
  for (const Group& group : groups_) {
    for (size_t i = 0; i < group.names.size(); ++i) {
      put(kAverage, group.names[i], group.averages[i]);
      put(kSquare, group.names[i], group.squares[i]);
    }
  }
  return state;
}

void AdamW::restore(const model::Weights& state, int64_t steps) {
  for (Group& group : groups_) {
    for (size_t i = 0; i < group.names.size(); ++i) {
      for (const auto& [kind, tensor] :
           {std::pair(kAverage, group.averages[i]), std::pair(kSquare, group.squares[i])}) {
        const std::string name = std::string(kind) + group.names[i];
        copy_numbers(state.at(name), tensor, name);
      }
      group.steps[i].fill_(static_cast<double>(steps));
    }
  }
}

double gradient_norm(const std::vector<at::Tensor>& parameters) {
  double squares = 0;
  for (const auto& parameter : parameters) {
    if (parameter.grad().defined()) squares += std::pow(parameter.grad().norm().item<double>(), 2);
  }
  return std::sqrt(squares);
}

void clip_gradients(const std::vector<at::Tensor>& parameters, double norm, double most) {
  if (norm <= most) return;
  for (const auto& parameter : parameters) {
    if (parameter.grad().defined()) parameter.grad().mul_(most / norm);
  }
}

}  // namespace summand::train
