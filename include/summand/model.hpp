#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summand/embeddings.hpp"
#include "summand/heads.hpp"
#include "summand/hidden_states.hpp"
#include "summand/precision.hpp"
#include "summand/similarity.hpp"
#include "summand/taps.hpp"
#include "summand/text.hpp"
#include "summand/tokens.hpp"
#include "summand/verify.hpp"

namespace summand {

/// How a model is loaded.
struct LoadOptions {
  /// Threads for one call, the caller included. 0: as many as the cgroup quota and the CPU affinity allow.
  int threads = 0;
  /// Precision of the encoder's matrix products. fp32, bf16, fp16 and int8 never fall back to another precision.
  Precision precision = Precision::of_checkpoint;
  /// A folder, the checkpoint's own or another, that keeps the packed weights; the next load maps them. None: each load
  /// packs them anew. Model::notices reports whether the cache was used.
  std::optional<std::filesystem::path> cache = {};
};

/// Sizes and limits of a loaded model.
struct ModelInfo {
  std::filesystem::path directory;  ///< where it was loaded from
  size_t layers = 0;                ///< of the encoder; there is one more hidden state
  size_t hidden_size = 0;           ///< width of a token's vector
  size_t attention_heads = 0;       ///< in each layer
  size_t intermediate_size = 0;     ///< width inside the feed-forward block
  size_t vocabulary_size = 0;       ///< rows of the token table
  size_t segments = 0;              ///< rows of the segment table
  size_t position_limit = 0;        ///< rows of the position table: the longest sequence, special tokens included
  /// Tokens at which Model::embed cuts a text: sentence-transformers' max_seq_length, else the tokenizer's
  /// model_max_length, never more than position_limit.
  size_t sentence_limit = 0;
  std::vector<Head> heads = {};          ///< heads that the directory has weights for
  std::vector<std::string> labels = {};  ///< of a classifier's outputs, in order: id2label
  std::optional<Reading> reading = {};   ///< how its training read texts, if the directory says so
  /// Windows of a text that its transformer over windows reads (WindowPooling::transformer), which loses the rest; 0 if
  /// it has none.
  size_t most_windows = 0;
  Precision precision = Precision::fp32;            ///< of the encoder
  Precision attention_precision = Precision::fp32;  ///< of attention between tokens
  bool has_pooler = false;                          ///< whether Model::hidden returns pooled output
  /// Whether the directory has sentence-transformers modules. Without them Model::embed takes the mean over tokens and
  /// does not normalise.
  bool has_sentence_modules = false;
  size_t sentence_width = 0;  ///< coordinates of a sentence vector; 0 if the directory's modules allow none
  std::map<std::string, std::string> prompts = {};      ///< by name, the text that Model::embed puts before every text
  std::optional<std::string> default_prompt_name = {};  ///< of the prompt that is put there unless another is asked for
  /// Measure for comparing its sentence vectors: similarity_fn_name, or cosine by default.
  Similarity similarity = Similarity::cosine;
};

/// A loaded checkpoint: text in, results out. A text's results have the same bits whatever else is in the call, in any
/// order and with any number of threads, at one precision and on one instruction set.
///
/// Most calls take Taps, which watch or change the forward pass. See Taps for exceptions and effects on results.
///
/// Thread-safety: several threads may call const members at once, on one model or on several, also during load(). All
/// models of a process share one thread pool of at most the largest LoadOptions::threads less one; each caller works
/// too, and load() uses one more thread for the tokenizer. Moving, assigning and destroying need exclusive access.
class Model {
 public:
  /// Loads configuration, weights and tokenizer. The weights stay memory-mapped: do not change their files while the
  /// model is in use. Replacing them by rename is safe.
  /// @param name  a directory in Hugging Face's or sentence-transformers' layout, or a name. A name is looked up in the
  ///   folder of the environment variable SUMMAND_MODELS (default: share/summand/models next to the program's folder),
  ///   or in the local hub cache as "organisation/name" or "organisation/name@revision". Nothing is downloaded.
  /// @param options  threads, precision and cache
  /// @throws IoError, CheckpointError, ConfigError or TextError, each naming the file and what is wrong with it
  /// @throws UsageError if `threads` is negative, the environment variable SUMMAND_ISA names an instruction set that
  ///   this machine lacks, or the instruction set has no kernels for the requested precision
  [[nodiscard]] static Model load(const std::filesystem::path& name, const LoadOptions& options = {});

  /// Takes over another model, which can then only be assigned to or destroyed.
  Model(Model&&) noexcept;
  /// Takes over another model, which can then only be assigned to or destroyed.
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// Sizes and limits.
  [[nodiscard]] const ModelInfo& info() const;

  /// Prepares a head now instead of at its first use. For the masked-language head this packs the
  /// decoder, which is as large as the token table. Does nothing if the head is ready.
  /// @throws ConfigError if the model has no such head
  /// @throws IoError if its weights can no longer be read
  void prepare(Head head) const;

  /// Frees the workspaces that finished calls leave for later ones; later calls allocate them again. Running calls keep
  /// theirs. Otherwise the model keeps one call's workspace, no larger than recent calls needed.
  void release_memory() const;

  /// One line for each file or setting of the directory that was ignored or replaced.
  [[nodiscard]] std::span<const std::string> notices() const;

  /// Sentence vectors as sentence-transformers computes them: prompt, transformer, pooling, dense layers,
  /// normalisation, truncation to `dimensions`.
  /// @return one row per text
  /// @throws TextError for a text that is too long under Truncation::none, or a token without a row in the table
  /// @throws UsageError if an option does not fit the model
  [[nodiscard]] Embeddings embed(const TextList& texts, const EmbedOptions& options = {}) const;

  /// embed() for any number of texts, one batch in memory at a time. The vectors have the same bits as from embed().
  /// @param next  returns the texts one by one
  /// @param take  receives the vectors, batch by batch
  /// @param options  as for embed()
  /// @param stream  batch size, progress callback, stop token
  /// @return what was done; after a stop request, for the batches that `take` received
  /// @throws TextError and UsageError as embed(), and whatever `next`, `take` and StreamOptions::on_progress throw
  StreamReport embed_stream(const NextText& next, const TakeEmbeddings& take, const EmbedOptions& options = {},
                            const StreamOptions& stream = {}) const;

  /// The vectors of every token, layer by layer, and the pooled output. All are in memory at once: tokens ×
  /// (layers asked for) × hidden size × 4 bytes.
  /// @throws TextError as embed()
  /// @throws UsageError if a layer does not exist, or LengthOptions::max_length exceeds the positions
  [[nodiscard]] HiddenStates hidden(const TextList& texts, const HiddenOptions& options = {}) const;

  /// The likeliest tokens for every [MASK] of each text, as from transformers' fill-mask pipeline.
  /// @throws ConfigError if the model has no masked-language head, or its tokenizer no mask token
  /// @throws TextError as embed(), or naming a text without a mask
  /// @throws UsageError if a target is not an id of the vocabulary, or LengthOptions::max_length exceeds the positions
  [[nodiscard]] FilledTexts fill_mask(const TextList& texts, const FillMaskOptions& options = {}) const;

  /// How likely the second text of each pair follows the first.
  /// @param pairs  pairs of texts
  /// @param length  the default limit is the model's positions
  /// @param taps  watch or change the forward pass
  /// @param repeated  whether to reuse the result of a repeated pair; with taps every pair is computed
  /// @throws ConfigError if the model has no next-sentence head
  /// @throws TextError as embed(), or naming a text that is not a pair
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] NextSentences next_sentence(const TextList& pairs, const LengthOptions& length = {},
                                            const Taps& taps = {},
                                            RepeatedTexts repeated = RepeatedTexts::compute_once) const;

  /// The labels of each text or pair, scored as by transformers' text-classification pipeline.
  /// @throws ConfigError if the model has no sequence classification head
  /// @throws TextError as embed()
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] ClassifiedTexts classify(const TextList& texts, const ClassifyOptions& options = {}) const;

  /// Sorts passages by how well they answer a query, as sentence-transformers' CrossEncoder does.
  /// @throws ConfigError if the model has no sequence classification head, more or fewer labels than one, or an unknown
  ///   activation function
  /// @throws TextError as embed(), or naming a passage that is not a single text
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] Ranking rerank(const std::string& query, const TextList& passages,
                               const RerankOptions& options = {}) const;

  /// The logits of each text or pair, and the scores that sentence-transformers' CrossEncoder.predict makes of them.
  /// @throws ConfigError if the model has no sequence classification head, or an unknown activation function
  /// @throws TextError as embed()
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] ScoredTexts score(const TextList& texts, const ScoreOptions& options = {}) const;

  /// Labelled spans of each text (names, parts of speech), as from transformers' token-classification pipeline.
  /// @throws ConfigError if the model has no token classification head
  /// @throws TextError as embed(), or naming a text that is a pair
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] TaggedTexts tag(const TextList& texts, const TagOptions& options = {}) const;

  /// The spans of a context that best answer a question, as from transformers' question-answering pipeline (4.57, its
  /// last version). A long context is divided into windows; nothing is cut.
  /// @param pairs    each a question and its context
  /// @param options  number of answers, handling of "no answer", lengths of answers and windows
  /// @throws ConfigError if the model has no question answering head
  /// @throws TextError as embed(), or naming a text that is not a pair, an empty question or context, or a question
  ///   that leaves no room for its context
  /// @throws UsageError if AnswerOptions::max_length exceeds the positions, or `top`, `max_length` or
  ///   `max_answer_tokens` is 0
  [[nodiscard]] AnsweredQuestions answer(const TextList& pairs, const AnswerOptions& options = {}) const;

  /// Compares the engine with the readable reference in double precision, layer by layer and head by head. Ten tokens
  /// of bert-base take about a second. The tolerance is that of single precision: a model in bf16, fp16 or int8 does
  /// not agree.
  /// @param texts  none: built-in texts with words, a pair, unknown words, Chinese, and the model's last positions
  /// @param length  the default limit is the model's positions
  /// @throws TextError as embed()
  [[nodiscard]] VerifyReport verify(const TextList& texts = {}, const LengthOptions& length = {}) const;

  /// Ids, segments and byte offsets of one text, the same as from `tokenizers`. Cuts only if asked to.
  /// @throws TextError if the text cannot be cut as asked, has more than 1.4 GB, or has a word unknown to a vocabulary
  ///   without an unknown token
  [[nodiscard]] Encoding tokenize(const TextView& text, const TokenizeOptions& options = {}) const;

  /// tokenize() of each text, in order, on LoadOptions::threads threads.
  /// @throws TextError as tokenize(), of the first text that cannot be encoded
  [[nodiscard]] std::vector<Encoding> tokenize_all(const TextList& texts, const TokenizeOptions& options = {}) const;

  /// The token as written in the vocabulary, valid as long as the model; empty if no token has this id.
  [[nodiscard]] std::string_view token(int32_t id) const;
  /// The id of a token, written as in the vocabulary.
  [[nodiscard]] std::optional<int32_t> token_id(std::string_view token) const;
  /// The text of ids; unknown ids are skipped.
  /// @param ids  any number, special tokens included
  /// @param special_tokens  omit leaves out tokens marked special
  [[nodiscard]] std::string decode(std::span<const int32_t> ids,
                                   SpecialTokens special_tokens = SpecialTokens::omit) const;

 private:
  struct State;
  explicit Model(std::unique_ptr<const State> state);

  std::unique_ptr<const State> state_;
};

}  // namespace summand
