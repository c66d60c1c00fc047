#pragma once

#include <cstddef>
#include <cstdint>

#include "model/sentence_modules.hpp"

namespace summand::train {

/// A new dense module with a bias: uniform in ±1/√in, as torch.nn.Linear begins.
[[nodiscard]] model::Dense draw_dense(size_t in, size_t out, model::TorchActivation activation, uint64_t seed);

}  // namespace summand::train
