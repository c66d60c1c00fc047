#pragma once

#include <ATen/ATen.h>

#include "model/module_activation.hpp"

namespace summand::train {

/// The activation of a dense module, differentiable.
/// @param rows  [rows, width]; the softmaxes run over the width
/// @return as model::activate(): what torch.nn computes outside training
[[nodiscard]] at::Tensor activated(model::TorchActivation activation, const at::Tensor& rows);

}  // namespace summand::train
