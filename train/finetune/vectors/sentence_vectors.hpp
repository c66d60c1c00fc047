#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <string>
#include <vector>

#include "model/batch.hpp"
#include "model/parameter.hpp"
#include "model/sentence_modules.hpp"
#include "model/weights.hpp"
#include "train/network/network.hpp"

namespace summand::train {

/// The folder of a module behind the pooling, as sentence-transformers names it: "2_Dense".
/// @param step  its index in SentenceModules::steps
[[nodiscard]] std::string module_folder(const model::SentenceModules& modules, size_t step);

/// The parameters of the modules behind the pooling, for a Network to hold: "2_Dense/linear.weight".
[[nodiscard]] std::vector<model::Parameter> module_parameters(const model::SentenceModules& modules);

/// Their numbers as the modules have them.
[[nodiscard]] model::Weights module_weights(const model::SentenceModules& modules);

/// Width of the vectors.
/// @param hidden  the model's width
[[nodiscard]] size_t vector_width(const model::SentenceModules& modules, size_t hidden);

/// Sentence vectors, differentiable: pooling over each text's tokens, then the modules behind it.
/// @param network  holds module_parameters()
/// @param pass  of the batch
/// @return [texts, width], in single precision or better
/// Source: sentence-transformers 6.2, sentence_transformer/modules/pooling.py and base/modules
[[nodiscard]] at::Tensor sentence_vectors(const model::SentenceModules& modules, const Network& network,
                                          const Pass& pass, const model::Batch& batch);

}  // namespace summand::train
