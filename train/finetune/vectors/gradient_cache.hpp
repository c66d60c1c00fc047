#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <functional>

namespace summand::train {

/// Vectors of one part of a step's texts, [texts, width]. A part has the same vectors whenever it is called: its
/// dropout is drawn by name.
using PartVectors = std::function<at::Tensor(size_t part)>;

/// A loss of the vectors of all parts, one part after the other.
using VectorLoss = std::function<at::Tensor(const at::Tensor& vectors)>;

/// Adds the gradients of a loss that reads all vectors of a step at once, and holds the activations of one part at a
/// time: vectors of all parts without a graph, the loss's gradient of them, then each part again with its graph.
/// One part is computed once.
/// @param parts  at least 1
/// @return the loss
/// Source: Gao et al. 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup", section 3
double add_cached_gradients(size_t parts, const PartVectors& vectors, const VectorLoss& loss);

}  // namespace summand::train
