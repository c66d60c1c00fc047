#pragma once

#include <span>

#include "model/enum_names.hpp"

namespace summand::model {

/// The feed-forward block's non-linearity, `hidden_act` in config.json.
/// The last two are linear: x, and x/2, the tangent of gelu at 0.
/// Source: Hendrycks & Gimpel 2016 for gelu (x·Φ(x)) and its tanh form; Elfwing et al. 2018 for silu (x·σ(x)).
enum class Activation { gelu, gelu_tanh, relu, silu, tanh, linear, half };

[[nodiscard]] std::span<const EnumName<Activation>> enum_names(Activation);

}  // namespace summand::model
