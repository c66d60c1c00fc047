#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/embedding/prepared_sentence_modules.hpp"
#include "api/heads/rerank_activation.hpp"
#include "api/model/packed_cache.hpp"
#include "engine/engine.hpp"
#include "engine/window_encoder.hpp"
#include "io/checkpoint.hpp"
#include "model/batch.hpp"
#include "summand/model.hpp"
#include "text/input_reader.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

using summand::LengthOptions;
using summand::LoadOptions;
using summand::Precision;

/// A loaded checkpoint: configuration, weights, tokenizer and engine.
///
/// Thread-safety: several threads may call const members at once.
class LoadedModel {
 public:
  /// @param name  a directory in Hugging Face's or sentence-transformers' layout, or a name, as for io::resolve_model
  /// @throws IoError, CheckpointError, ConfigError or TextError, each naming the file and what is wrong with it
  [[nodiscard]] static LoadedModel load(std::string_view name, const LoadOptions& options = {});

  [[nodiscard]] const io::Checkpoint& checkpoint() const { return checkpoint_; }
  [[nodiscard]] const model::Config& config() const { return checkpoint_.config.config; }
  [[nodiscard]] const text::Tokenizer& tokenizer() const { return tokenizer_; }
  [[nodiscard]] const engine::Engine& engine() const { return engine_; }

  /// The transformer over windows that a classifier of texts may have; else null.
  [[nodiscard]] const engine::WindowEncoder* window_encoder() const {
    return window_encoder_ ? &*window_encoder_ : nullptr;
  }

  /// Windows of a text that are combined so, at most: a transformer over windows has no places for more.
  [[nodiscard]] size_t most_windows(WindowPooling pooling) const;

  /// Precision of the encoder, and of attention between tokens.
  [[nodiscard]] Precision precision() const;
  [[nodiscard]] Precision attention_precision() const;
  /// "fp32", "bf16" or "int8, attention in bf16".
  [[nodiscard]] std::string precision_description() const;

  /// Shared by all calls for sentence vectors, made at load.
  [[nodiscard]] const PreparedSentenceModules& sentence() const { return sentence_; }
  /// The reranker's activation from the files, read at load.
  [[nodiscard]] const std::optional<NamedActivation>& rerank_activation() const { return rerank_activation_; }

  /// The precision chosen, if the checkpoint or the machine decided it.
  [[nodiscard]] std::optional<std::string> precision_notice() const;
  /// Whether LoadOptions::cache was used.
  [[nodiscard]] const std::optional<std::string>& cache_notice() const { return cache_notice_; }

  /// What the directory contains and was ignored or replaced, the tokenizer's files included; one line each.
  [[nodiscard]] std::vector<std::string> notices() const;
  /// Longest sequence in tokens, special tokens included: the model's positions.
  [[nodiscard]] size_t position_limit() const { return static_cast<size_t>(config().max_position_embeddings); }
  /// sentence-transformers' limit: max_seq_length, else the tokenizer's model_max_length, at most position_limit().
  [[nodiscard]] size_t sentence_limit() const;
  /// A hash of the checkpoint's .json and .txt files and of the sizes and times of its weights.
  [[nodiscard]] uint64_t fingerprint() const;

  /// One text, cut at `limit` unless the options say otherwise.
  /// @throws TextError for a text that is too long under Truncation::none, or a token without a row in the table
  /// @throws UsageError if max_length exceeds position_limit()
  [[nodiscard]] text::Encoding encode(const TextView& text, const LengthOptions& options, size_t limit) const;
  /// The same, reusing memory, for many texts.
  void encode_into(const TextView& text, const text::EncodeOptions& options, text::Tokenizer::Workspace& workspace,
                   text::Encoding& encoding) const;
  /// The tokenizer options of encode().
  /// @throws UsageError if max_length exceeds position_limit()
  [[nodiscard]] text::EncodeOptions encode_options(const LengthOptions& options, size_t limit) const;
  /// One text without truncation: as windows of at most limits.max_length tokens if it is longer.
  /// @return keeps a reference to this model
  /// @throws TextError, as encode() and text::DividedText; UsageError if max_length exceeds position_limit()
  [[nodiscard]] text::DividedText divide(const TextView& text, const text::WindowLimits& limits) const;

  /// @throws TextError for a token without a row in the table
  void check_ids(const text::Encoding& encoding) const;

 private:
  void check_max_length(size_t max_length) const;
  struct Computing;
  [[nodiscard]] static std::optional<Computing> prepared_before(const io::Checkpoint& settings, PackedCache& cache,
                                                                engine::EngineOptions options);
  [[nodiscard]] static Computing prepared(io::Checkpoint settings, PackedCache* cache,
                                          const engine::EngineOptions& options);
  LoadedModel(Computing computing, text::Tokenizer tokenizer, Precision asked);

  io::Checkpoint checkpoint_;
  text::Tokenizer tokenizer_;
  engine::Engine engine_;
  std::optional<engine::WindowEncoder> window_encoder_;
  PreparedSentenceModules sentence_;
  std::optional<NamedActivation> rerank_activation_;
  Precision asked_;
  std::optional<std::string> cache_notice_;
};

}  // namespace summand::api
