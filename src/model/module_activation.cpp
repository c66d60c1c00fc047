#include "model/module_activation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/assert.hpp"

namespace summand::model {

namespace {

/// log(1 + e^x) without overflow.
double log_of_one_and_power(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double logistic(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double power = std::exp(x);
  return power / (1 + power);
}

/// torch's beta of 1 leaves x as it is above its threshold of 20.
double softplus(double x) {
  return x > 20 ? x : log_of_one_and_power(x);
}

double shrunk_softly(double x) {
  constexpr double kLambda = 0.5;
  return x > kLambda ? x - kLambda : x < -kLambda ? x + kLambda : 0;
}

/// Softmax of the vector, or its logarithm, times `sign` before.
void normalise_powers(std::span<float> vector, double sign, bool logarithm) {
  std::vector<double> values(vector.begin(), vector.end());
  for (double& value : values) value *= sign;
  const double largest = values.empty() ? 0 : *std::ranges::max_element(values);
  double total = 0;
  for (const double value : values) total += std::exp(value - largest);
  for (size_t i = 0; i < values.size(); ++i) {
    const double log = values[i] - largest - std::log(total);
    vector[i] = static_cast<float>(logarithm ? log : std::exp(values[i] - largest) / total);
  }
}

std::string_view class_of(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace

std::span<const EnumName<TorchActivation>> enum_names(TorchActivation) {
  using enum TorchActivation;
  static constexpr std::array names{
      EnumName{identity, "torch.nn.modules.linear.Identity"},
      EnumName{tanh, "torch.nn.modules.activation.Tanh"},
      EnumName{relu, "torch.nn.modules.activation.ReLU"},
      EnumName{gelu, "torch.nn.modules.activation.GELU"},
      EnumName{sigmoid, "torch.nn.modules.activation.Sigmoid"},
      EnumName{celu, "torch.nn.modules.activation.CELU"},
      EnumName{elu, "torch.nn.modules.activation.ELU"},
      EnumName{hardshrink, "torch.nn.modules.activation.Hardshrink"},
      EnumName{hardsigmoid, "torch.nn.modules.activation.Hardsigmoid"},
      EnumName{hardswish, "torch.nn.modules.activation.Hardswish"},
      EnumName{hardtanh, "torch.nn.modules.activation.Hardtanh"},
      EnumName{leaky_relu, "torch.nn.modules.activation.LeakyReLU"},
      EnumName{log_sigmoid, "torch.nn.modules.activation.LogSigmoid"},
      EnumName{log_softmax, "torch.nn.modules.activation.LogSoftmax"},
      EnumName{mish, "torch.nn.modules.activation.Mish"},
      EnumName{relu6, "torch.nn.modules.activation.ReLU6"},
      EnumName{rrelu, "torch.nn.modules.activation.RReLU"},
      EnumName{selu, "torch.nn.modules.activation.SELU"},
      EnumName{silu, "torch.nn.modules.activation.SiLU"},
      EnumName{softmax, "torch.nn.modules.activation.Softmax"},
      EnumName{softmin, "torch.nn.modules.activation.Softmin"},
      EnumName{softplus, "torch.nn.modules.activation.Softplus"},
      EnumName{softshrink, "torch.nn.modules.activation.Softshrink"},
      EnumName{softsign, "torch.nn.modules.activation.Softsign"},
      EnumName{tanhshrink, "torch.nn.modules.activation.Tanhshrink"},
  };
  return names;
}

std::optional<TorchActivation> torch_activation_named(std::string_view name) {
  const auto own = class_of(name);
  const auto place = name.substr(0, name.size() - own.size());
  for (const auto& known : enum_names(TorchActivation{})) {
    const auto module = known.name.substr(0, known.name.size() - class_of(known.name).size());
    if (class_of(known.name) != own) continue;
    if (place == module || place == "torch.nn." || place == "torch.nn.modules.") return known.value;
  }
  return std::nullopt;
}

std::string known_torch_activations() {
  std::string list;
  for (const auto& known : enum_names(TorchActivation{})) {
    list += (list.empty() ? "" : ", ") + std::string(class_of(known.name));
  }
  return list;
}

bool is_elementwise(TorchActivation activation) {
  return activation != TorchActivation::softmax && activation != TorchActivation::log_softmax &&
         activation != TorchActivation::softmin;
}

double activated(TorchActivation activation, double x) {
  switch (activation) {
    case TorchActivation::identity:
      return x;
    case TorchActivation::tanh:
      return std::tanh(x);
    case TorchActivation::relu:
      return x < 0 ? 0 : x;
    case TorchActivation::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case TorchActivation::sigmoid:
      return logistic(x);
    case TorchActivation::celu:
    case TorchActivation::elu:
      return x > 0 ? x : std::expm1(x);
    case TorchActivation::hardshrink:
      return std::abs(x) <= 0.5 ? 0 : x;
    case TorchActivation::hardsigmoid:
      return std::clamp(x + 3, 0.0, 6.0) / 6;
    case TorchActivation::hardswish:
      return x * std::clamp(x + 3, 0.0, 6.0) / 6;
    case TorchActivation::hardtanh:
      return std::clamp(x, -1.0, 1.0);
    case TorchActivation::leaky_relu:
      return x < 0 ? 0.01 * x : x;
    case TorchActivation::log_sigmoid:
      return -log_of_one_and_power(-x);
    case TorchActivation::mish:
      return x * std::tanh(softplus(x));
    case TorchActivation::relu6:
      return std::clamp(x, 0.0, 6.0);
    case TorchActivation::rrelu:  // the mean of its slopes, outside training
      return x < 0 ? (1.0 / 8 + 1.0 / 3) / 2 * x : x;
    case TorchActivation::selu:  // Klambauer et al. 2017
      return 1.0507009873554804934193349852946 * (x > 0 ? x : 1.6732632423543772848170429916717 * std::expm1(x));
    case TorchActivation::silu:
      return x * logistic(x);
    case TorchActivation::softplus:
      return softplus(x);
    case TorchActivation::softshrink:
      return shrunk_softly(x);
    case TorchActivation::softsign:
      return x / (1 + std::abs(x));
    case TorchActivation::tanhshrink:
      return x - std::tanh(x);
    case TorchActivation::log_softmax:
    case TorchActivation::softmax:
    case TorchActivation::softmin:
      SUMMAND_ASSERT(is_elementwise(activation));
      return x;
  }
  __builtin_unreachable();
}

void activate(TorchActivation activation, std::span<float> vector) {
  if (activation == TorchActivation::softmax) return normalise_powers(vector, 1, false);
  if (activation == TorchActivation::softmin) return normalise_powers(vector, -1, false);
  if (activation == TorchActivation::log_softmax) return normalise_powers(vector, 1, true);
  for (float& x : vector) x = static_cast<float>(activated(activation, x));
}

}  // namespace summand::model
