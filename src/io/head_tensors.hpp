#pragma once

#include <string>
#include <vector>

#include "io/weight_files.hpp"
#include "model/config.hpp"
#include "model/heads.hpp"

namespace summand::io {

/// Finds a checkpoint's parts besides its encoder, and decides which of the decoder's tensors count, so that
/// afterwards `files` has each under the name that model::head_parameters() gives it:
///
/// - with tie_word_embeddings, a decoder weight that equals the token table is dropped; one that differs is the
///   decoder's own, as in transformers, and a notice says so;
/// - cls.predictions.decoder.bias is the bias where it is there, else cls.predictions.bias.
///
/// A head is found by its tensors; what a `classifier` classifies classifier_kind() tells. Where id2label and
/// num_labels say nothing, a classifier has as many labels as rows. A head with only some of its tensors, with others
/// than it needs, or whose settings cannot be read, is among ModelParts::absent.
///
/// Source: transformers 5.23, PreTrainedModel.tie_weights. Where a file of an untied decoder lacks decoder.bias,
/// transformers starts from zeros; this takes cls.predictions.bias, which older versions always shared with it.
/// @param parsed  of whose configuration only the labels change
/// @param notices  gets one line for each thing left out or settled
[[nodiscard]] model::ModelParts find_parts(model::ParsedConfig& parsed, WeightFiles& files,
                                           std::vector<std::string>& notices);

}  // namespace summand::io
