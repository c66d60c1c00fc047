#pragma once

#include <string>
#include <vector>

#include "io/weight_files.hpp"
#include "model/config.hpp"
#include "model/heads.hpp"

namespace summand::io {

/// Finds out what a checkpoint has beside its encoder, and settles which of the decoder's tensors count, so that
/// afterwards `files` has each under the name that model::head_parameters() gives it:
///
/// - with tie_word_embeddings, a decoder weight that equals the token table is dropped; one that differs is the
///   decoder's own, as in transformers, and a notice says so;
/// - cls.predictions.decoder.bias is the bias where it is there, else cls.predictions.bias.
///
/// Source: transformers 5.23, PreTrainedModel.tie_weights. Where a file of an untied decoder lacks decoder.bias,
/// transformers starts from zeros; this takes cls.predictions.bias, which older versions always shared with it.
/// @param notices  gets one line for each thing left out or settled
[[nodiscard]] model::ModelParts find_parts(const model::Config& config, WeightFiles& files,
                                           std::vector<std::string>& notices);

}  // namespace summand::io
