#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "summand/text.hpp"

namespace summand {

/// How a checkpoint is quantised.
struct QuantizeOptions {
  int threads = 0;  ///< 0: what the cgroup quota and the affinity allow; the result does not depend on it
  /// Texts like those that the model will see: what the layers read on them decides how they are rounded. Some hundred
  /// are wanted, and taken in order until they have 16,384 tokens; calibration_sample() has some for whoever has none.
  /// Empty: rounding looks at no text.
  TextList calibration = {};
  /// Called after every weight and every file, by several threads at a time. What it throws ends the run, which then
  /// leaves nothing, and comes out of it.
  std::function<void()> on_step = {};
};

/// The dense layers of one kind, over all layers of the encoder. An output's rounding error is the length of what is
/// taken from or added to its weights, divided by the length of the weights.
struct QuantizedLayers {
  std::string kind;          ///< "attention.self.query"
  size_t weights = 0;        ///< in 8 bits
  size_t outputs = 0;        ///< rows, each with a scale of its own
  double mean_error = 0;     ///< over the outputs
  double largest_error = 0;  ///< of any output
};

/// What quantize() wrote.
struct QuantizeReport {
  std::filesystem::path directory;           ///< that was quantised
  std::filesystem::path out;                 ///< that was written
  size_t parameters = 0;                     ///< of the model
  size_t in_8_bits = 0;                      ///< of these
  uint64_t bytes_before = 0;                 ///< that the parameters take in the files
  uint64_t bytes_after = 0;                  ///< likewise, scales included
  ReadCount calibration = {};                ///< texts and tokens that decided; none without calibration
  std::vector<QuantizedLayers> layers = {};  ///< in the order of the forward pass
  std::vector<std::string> notices = {};     ///< what was found in the directory and left out, ignored or replaced
};

/// Texts for QuantizeOptions::calibration where there are none of the kind that the model will see: single sentences
/// and paragraphs, English and some Chinese.
[[nodiscard]] std::vector<Text> calibration_sample();

/// Writes a checkpoint whose encoder has its dense layers' weights in 8 bits, with one scale per output. Without texts
/// it loads to the same numbers as the original does when its weights are quantised while loading. With texts it is
/// nearer to the original in int8: the weights come with a factor for each of their inputs, and the
/// encoder's biases are others, in F32; its bits then depend on the instruction set that it was made on as well.
/// Everything else stays as it was: tables, norms, biases, pooler and heads in their own types, tokenizer, sentence
/// modules. Other programs refuse the directory.
/// @param model  a directory in Hugging Face's or sentence-transformers' layout, or a name, as Model::load takes it
/// @param out  a directory that does not exist or is empty; it appears whole or not at all
/// @param options  threads, and what is told of every step
/// @throws IoError, CheckpointError or ConfigError, as Model::load; CheckpointError too if the checkpoint is in 8 bits
///   already, and IoError if `out` is something else or cannot be written
/// @throws UsageError if `threads` is negative, or there are texts for calibration and none has a token
/// @throws TextError as Model::embed, of a text for calibration
QuantizeReport quantize(const std::filesystem::path& model, const std::filesystem::path& out,
                        const QuantizeOptions& options = {});

}  // namespace summand
