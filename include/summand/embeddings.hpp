#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/text.hpp"
#include "summand/windows.hpp"

namespace summand {

/// How a text's hidden states become one vector. Source: sentence-transformers, models/Pooling.py; the last-four forms
/// are those of Devlin et al. 2019, table 7, with the mean over tokens taken afterwards.
enum class Pooling {
  cls,               ///< the first token's vector
  mean,              ///< mean over tokens
  max,               ///< largest value over tokens, per coordinate
  mean_sqrt_length,  ///< sum over tokens divided by the square root of their number
  weighted_mean,     ///< mean with weights 1, 2, 3, … (SGPT, Muennighoff 2022)
  last_token,        ///< the last token's vector
  last_four_mean,    ///< mean over tokens of the mean of the last four layers
  last_four_concat,  ///< mean over tokens of the last four layers side by side
};

/// Whether sentence vectors are divided by their Euclidean norm.
enum class Normalization {
  as_model,  ///< where the model says so
  none,      ///< never
};

/// What differs from the model's own way to sentence vectors.
struct EmbedOptions {
  LengthOptions length = {};  ///< the limit is sentence-transformers': ModelInfo::sentence_limit
  /// Long texts are divided, the prompt before every window; what pooling and dense layers give of the windows is
  /// combined, then normalised, then cut to its dimensions. Needs length.truncation as it is by default.
  std::optional<WindowOptions> windows = {};
  std::vector<Pooling> pooling = {};                      ///< several are put side by side; empty: the model's own
  Normalization normalization = Normalization::as_model;  ///< whether vectors are normalised
  std::optional<size_t> dimensions = {};   ///< keep this many first coordinates, as sentence-transformers' truncate_dim
  std::optional<std::string> prompt = {};  ///< a text put before every text, instead of the model's default prompt
  std::optional<std::string> prompt_name = {};  ///< the name of one of the model's prompts, instead of `prompt`
};

/// Sentence vectors, one row per text in the order given.
struct Embeddings {
  Matrix<float> vectors;  ///< [texts, width]
  size_t texts_cut = 0;   ///< texts that lost at least one token to truncation
  WindowCount windows;    ///< without EmbedOptions::windows one for each text
  size_t tokens = 0;      ///< that were run: special tokens, and those that windows share, included
  int threads = 0;        ///< threads that took part
};

}  // namespace summand
