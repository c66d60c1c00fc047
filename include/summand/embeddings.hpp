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

/// How a text's hidden states become one vector. Source: sentence-transformers 6.2,
/// sentence_transformer/modules/pooling.py. The last-four forms come from Devlin et al. 2019, table 7, followed by the
/// mean over tokens.
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
  as_model,  ///< if the model says so
  none,      ///< not at the end; normalisation between the model's dense layers stays
  always,    ///< as the model says, and once more after truncation to `dimensions`: normalize_embeddings=True
};

/// Overrides of the model's own recipe for sentence vectors.
struct EmbedOptions {
  LengthOptions length = {};  ///< the default limit is ModelInfo::sentence_limit
  /// Divides long texts into windows, each with the prompt in front. Pooling and dense layers run on every window; the
  /// results are combined, normalised, then cut to `dimensions`. Needs the default length.truncation.
  std::optional<WindowOptions> windows = {};
  std::vector<Pooling> pooling = {};                      ///< several are concatenated; empty: the model's own
  Normalization normalization = Normalization::as_model;  ///< whether to normalise the vectors
  std::optional<size_t> dimensions = {};        ///< keep the first coordinates: sentence-transformers' truncate_dim
  std::optional<std::string> prompt = {};       ///< put before every text, instead of the model's default prompt
  std::optional<std::string> prompt_name = {};  ///< one of the model's prompts, by name; not together with `prompt`
  Taps taps = {};                               ///< watch or change the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< calls with taps compute every text
};

/// Sentence vectors, one row per text in the order given.
struct Embeddings {
  Matrix<float> vectors;  ///< [texts, width]
  ReadCount count = {};   ///< texts, tokens, cut texts, …
  int threads = 0;        ///< threads that took part
};

/// Returns the next text, or no value at the end. Called on the caller's thread.
using NextText = std::function<std::optional<Text>()>;

/// Receives the vectors of a batch, in the texts' order, as soon as they are computed. Called on the caller's thread.
using TakeEmbeddings = std::function<void(Embeddings)>;

/// How Model::embed_stream batches, reports and stops.
struct StreamOptions {
  size_t batch_tokens = 16384;        ///< approximate size of a batch; no vector depends on it
  ProgressCallback on_progress = {};  ///< called after every text
  std::stop_token stop = {};          ///< a stop request ends the run within a few texts
};

/// What Model::embed_stream did.
struct StreamReport {
  ReadCount count;       ///< counts for the texts whose vectors were delivered
  int threads = 0;       ///< most that worked at the same time
  bool stopped = false;  ///< whether a stop was requested before the last text
};

}  // namespace summand
