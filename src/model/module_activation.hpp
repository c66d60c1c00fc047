#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/enum_names.hpp"

namespace summand::model {

/// The activations of torch.nn that need no argument, with torch's default parameters, as they are outside training.
enum class TorchActivation {
  identity,
  tanh,
  relu,
  gelu,
  sigmoid,
  celu,
  elu,
  hardshrink,
  hardsigmoid,
  hardswish,
  hardtanh,
  leaky_relu,
  log_sigmoid,
  log_softmax,
  mish,
  relu6,
  rrelu,
  selu,
  silu,
  softmax,
  softmin,
  softplus,
  softshrink,
  softsign,
  tanhshrink,
};

/// The activation with this name in sentence-transformers' files: "torch.nn.modules.activation.Tanh".
[[nodiscard]] std::span<const EnumName<TorchActivation>> enum_names(TorchActivation);

/// The activation of a class, by any of the places torch has it in: torch.nn.Tanh, torch.nn.modules.activation.Tanh.
[[nodiscard]] std::optional<TorchActivation> torch_activation_named(std::string_view name);

/// "CELU, ELU, …", for messages.
[[nodiscard]] std::string known_torch_activations();

/// Whether each number is activated by itself; the others, the softmaxes, look at the whole vector.
[[nodiscard]] bool is_elementwise(TorchActivation activation);

/// Applies an elementwise activation to one number.
/// Source: torch 2.13, torch/nn/modules/activation.py
[[nodiscard]] double activated(TorchActivation activation, double x);

/// A vector in place, in double precision and rounded once.
void activate(TorchActivation activation, std::span<float> vector);

}  // namespace summand::model
