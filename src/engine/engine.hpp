#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "engine/kernels/kernel_set.hpp"
#include "engine/kernels/precision.hpp"
#include "engine/layers/embedding_table.hpp"
#include "engine/packed_pieces.hpp"
#include "engine/run/run.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/taps.hpp"
#include "model/weights.hpp"

namespace summand::engine {

struct EngineOptions {
  int threads = 0;  ///< at most, the caller among them; 0: as many as available_threads() says
  Precision precision = Precision::fp32;
  /// Bytes of an embedding table in F32 above which its rows are copied out of the file when they are wanted.
  size_t largest_table_in_memory = kLargestTableInMemory;
  /// Pieces packed earlier by an engine of the same model, precision and set of kernels.
  std::optional<PackedPieces> packed = {};
};

/// A BERT encoder in one precision. A text's results are the same, bit for bit, alone, in any batch, in any order
/// and with any number of threads.
///
/// Thread-safety: const members may be called from several threads at once, but not from inside a task of the pool.
/// After fork() the child may call them as well, whatever other threads of the parent did at that moment.
class Engine {
 public:
  /// Packs the weights. Tables are not copied but kept alive; everything else is copied.
  /// @throws CheckpointError if a parameter is missing
  /// @throws ConfigError if an int8 layer has more than 65,536 inputs, whose sum would not be exact
  /// @throws UsageError if `threads` is negative, SUMMAND_ISA names what this machine does not have, or the instruction
  ///   set has no native products of the precision
  /// @throws PackedWeightsMismatch if what was packed before is not of this model, precision and set
  Engine(const model::Config& config, const model::Weights& weights, EngineOptions options = {});
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  /// Computes the request and passes each text's results to request.on_text.
  /// @throws TextError if the batch does not fit the model
  /// @throws UsageError if the model lacks a requested hidden state or head, a masked token is outside the batch or
  ///   before its predecessor, or the pooled output is requested together with the masked-language head
  /// @throws IoError if a table left in its file (EngineOptions::largest_table_in_memory) can no longer be read; some
  ///   texts' results may have been delivered by then
  RunReport run(const model::Batch& batch, const RunRequest& request) const;

  /// Makes a head ready for runs, on all threads of the engine; a head that is ready already costs nothing. The first
  /// run with a head does the same: the masked-language head's decoder, as large as the token table, is packed then.
  /// @throws UsageError if the model has no such head
  /// @throws IoError if its weights' file can no longer be read; the next call tries again
  void prepare(model::Head head) const;

  /// Frees the pooled workspaces; later runs allocate again, and runs under way keep theirs. Without this call the
  /// engine keeps what one run needs, and no more than recent runs needed.
  void release_workspaces() const;

  [[nodiscard]] bool has_pooler() const;
  /// Whether the weights have a head's parameters; those of sequence and token classification are the same.
  [[nodiscard]] bool has_head(model::Head head) const;
  /// Width of a head's logits: vocabulary, 2, or labels. @throws UsageError if the model has no such head
  [[nodiscard]] size_t logit_columns(model::Head head) const;
  [[nodiscard]] const model::Config& config() const;
  [[nodiscard]] int threads() const;
  [[nodiscard]] const KernelSet& kernel_set() const;
  [[nodiscard]] Precision precision() const;
  /// The packed weights of the layers and the pooler. Valid while the engine lives, or while `owner` lives if set.
  [[nodiscard]] const PackedPieces& packed() const;
  /// Precision of attention between tokens: fp32 if an encoding inside it needs single precision.
  [[nodiscard]] Precision attention_precision() const;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

/// The hidden states of a whole batch.
/// @param layers  as RunRequest::hidden_states
/// @return one matrix [tokens, hidden] for each of `layers`, rows in the batch's order
[[nodiscard]] std::vector<Matrix<float>> hidden_states(const Engine& engine, const model::Batch& batch,
                                                       std::span<const size_t> layers);

/// The pooled output of a whole batch, [texts, hidden]; a text without tokens has a row of zeros.
/// @throws UsageError if the model has no pooler
[[nodiscard]] Matrix<float> pooled_output(const Engine& engine, const model::Batch& batch);

/// The last hidden state of each text's first token, which the pooler reads, [texts, hidden]; a text without tokens has
/// a row of zeros.
/// @param taps  as RunRequest::taps
/// @throws UsageError if the model has no pooler
[[nodiscard]] Matrix<float> first_states(const Engine& engine, const model::Batch& batch,
                                         model::Taps<float>* taps = nullptr);

/// The logits of a whole batch. Texts without tokens have rows of zeros.
/// @param masked  the tokens of the batch that the masked-language head is to predict, ascending
/// @return masked_language [masked, vocabulary]; next_sentence [texts, 2]; sequence_classification [texts, labels];
///   token_classification [tokens, labels]; question_answering [tokens, 2]
/// @param taps  as RunRequest::taps
/// @throws UsageError if the model has no such head
[[nodiscard]] Matrix<float> head_logits(const Engine& engine, const model::Batch& batch, model::Head head,
                                        std::span<const size_t> masked = {}, model::Taps<float>* taps = nullptr);

/// The implementation of matrix products, for a bug report: "own kernel (avx512); oneDNN is not used".
[[nodiscard]] std::string matmul_backend();

}  // namespace summand::engine
