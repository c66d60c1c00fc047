#pragma once

#include "train/network/network.hpp"

namespace summand::train {

/// A model's transformer over windows (model/window_bert.hpp), with the parameters of the model's network: gradients go
/// there. @param network  of a model with a window_encoder
[[nodiscard]] Network window_network(const Network& network);

}  // namespace summand::train
