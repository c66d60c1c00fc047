#include "train/finetune/vectors/module_activation.hpp"

namespace summand::train {

at::Tensor activated(model::TorchActivation activation, const at::Tensor& rows) {
  switch (activation) {
    case model::TorchActivation::identity:
      return rows;
    case model::TorchActivation::tanh:
      return at::tanh(rows);
    case model::TorchActivation::relu:
      return at::relu(rows);
    case model::TorchActivation::gelu:
      return at::gelu(rows);
    case model::TorchActivation::sigmoid:
      return at::sigmoid(rows);
    case model::TorchActivation::celu:
      return at::celu(rows);
    case model::TorchActivation::elu:
      return at::elu(rows);
    case model::TorchActivation::hardshrink:
      return at::hardshrink(rows);
    case model::TorchActivation::hardsigmoid:
      return at::hardsigmoid(rows);
    case model::TorchActivation::hardswish:
      return at::hardswish(rows);
    case model::TorchActivation::hardtanh:
      return at::hardtanh(rows);
    case model::TorchActivation::leaky_relu:
      return at::leaky_relu(rows);
    case model::TorchActivation::log_sigmoid:
      return at::log_sigmoid(rows);
    case model::TorchActivation::log_softmax:
      return at::log_softmax(rows, -1);
    case model::TorchActivation::mish:
      return at::mish(rows);
    case model::TorchActivation::relu6:
      return at::relu6(rows);
    case model::TorchActivation::rrelu:  // the mean of its slopes
      return at::leaky_relu(rows, (1.0 / 8 + 1.0 / 3) / 2);
    case model::TorchActivation::selu:
      return at::selu(rows);
    case model::TorchActivation::silu:
      return at::silu(rows);
    case model::TorchActivation::softmax:
      return at::softmax(rows, -1);
    case model::TorchActivation::softmin:
      return at::softmax(-rows, -1);
    case model::TorchActivation::softplus:
      return at::softplus(rows);
    case model::TorchActivation::softshrink:
      return at::softshrink(rows);
    case model::TorchActivation::softsign:
      return rows / (1 + rows.abs());
    case model::TorchActivation::tanhshrink:
      return rows - at::tanh(rows);
  }
  __builtin_unreachable();
}

}  // namespace summand::train
