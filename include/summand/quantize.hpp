#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "summand/text.hpp"

namespace summand {

/// Options of quantize().
struct QuantizeOptions {
  int threads = 0;  ///< 0: as many as the cgroup quota and the CPU affinity allow; no effect on the result
  /// Texts like those that the model will see: the layers' inputs on them decide the rounding. A few hundred are
  /// recommended; they are read in order up to 16,384 tokens. If you have none, use calibration_sample(). Empty: no
  /// calibration.
  TextList calibration = {};
  /// Called after every weight and every file, by several threads at once. An exception from it ends the run, which
  /// then writes nothing, and propagates.
  std::function<void()> on_step = {};
};

/// The dense layers of one kind, over all layers of the encoder. An output's rounding error is the norm of the change
/// of its weights divided by the norm of the weights.
struct QuantizedLayers {
  std::string kind;          ///< "attention.self.query"
  size_t weights = 0;        ///< in 8 bits
  size_t outputs = 0;        ///< rows, each with its own scale
  double mean_error = 0;     ///< over the outputs
  double largest_error = 0;  ///< of any output
};

/// Result of quantize().
struct QuantizeReport {
  std::filesystem::path directory;           ///< the source
  std::filesystem::path out;                 ///< the new directory
  size_t parameters = 0;                     ///< of the model
  size_t in_8_bits = 0;                      ///< of these
  uint64_t bytes_before = 0;                 ///< of the parameters in the files
  uint64_t bytes_after = 0;                  ///< likewise, scales included
  ReadCount calibration = {};                ///< texts and tokens used for calibration
  std::vector<QuantizedLayers> layers = {};  ///< in the order of the forward pass
  std::vector<std::string> notices = {};     ///< what the directory contains and was ignored or replaced
};

/// General texts for QuantizeOptions::calibration: single sentences and paragraphs, English and some Chinese.
[[nodiscard]] std::vector<Text> calibration_sample();

/// Writes a checkpoint with the weights of the encoder's dense layers in 8 bits, one scale per output. Without
/// calibration it loads to the same numbers as the original loaded with Precision::int8. With calibration it is closer
/// to the original: the weights get a factor per input, the encoder's biases change and are in F32, and the bits then
/// also depend on the instruction set that made it. Everything else stays: tables, norms, biases, pooler and heads in
/// their own types, tokenizer, sentence modules. Other programs refuse the directory.
/// @param model  a directory in Hugging Face's or sentence-transformers' layout, or a name, as Model::load takes it
/// @param out  a directory that does not exist or is empty; it appears whole or not at all
/// @param options  threads, calibration texts, progress callback
/// @throws IoError, CheckpointError or ConfigError as Model::load; also CheckpointError if the checkpoint is already in
///   8 bits, and IoError if `out` is something else or cannot be written
/// @throws UsageError if `threads` is negative, or no calibration text has a token
/// @throws TextError as Model::embed, for a calibration text
QuantizeReport quantize(const std::filesystem::path& model, const std::filesystem::path& out,
                        const QuantizeOptions& options = {});

}  // namespace summand
