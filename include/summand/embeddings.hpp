#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/progress.hpp"
#include "summand/taps.hpp"
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
  none,      ///< not at the end; what comes between the model's dense layers is part of them
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
  Taps taps = {};                               ///< what watches or changes the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< with taps every text is computed
};

/// Sentence vectors, one row per text in the order given.
struct Embeddings {
  Matrix<float> vectors;  ///< [texts, width]
  ReadCount count = {};   ///< what became of the texts
  int threads = 0;        ///< threads that took part
};

/// Gives texts one after another; no value ends them. Called on the caller's thread.
using NextText = std::function<std::optional<Text>()>;

/// Takes the vectors of some texts, in the texts' order, as soon as they are there. Called on the caller's thread.
using TakeEmbeddings = std::function<void(Embeddings)>;

/// How Model::embed_stream goes through many texts.
struct StreamOptions {
  size_t batch_tokens = 16384;        ///< computed at a time, about; no vector depends on it
  ProgressCallback on_progress = {};  ///< told after every text
  std::stop_token stop = {};          ///< where a stop is requested, the run ends within some texts
};

/// What Model::embed_stream did.
struct StreamReport {
  ReadCount count;       ///< what became of the texts whose vectors were given out
  int threads = 0;       ///< most that took part at a time
  bool stopped = false;  ///< whether a stop was requested before the last text
};

}  // namespace summand
