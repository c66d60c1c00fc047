#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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
  int threads = 0;  ///< at most this many work on one call, the caller among them; 0: what the cgroup quota and the
                    ///< affinity allow
  Precision precision = Precision::of_checkpoint;  ///< of the encoder's products; fp32, bf16, fp16 and int8 are never
                                                   ///< replaced by another
  std::optional<std::filesystem::path> cache =
      {};  ///< a folder, the checkpoint's own or another, that keeps the weights
           ///< as they were packed for the next load, which maps them; none:
           ///< they are packed each time. Model::notices says what became of it
};

/// Sizes and limits of a loaded model.
struct ModelInfo {
  std::filesystem::path directory;  ///< where it was loaded from
  size_t layers = 0;                ///< of the encoder; there is one hidden state more
  size_t hidden_size = 0;           ///< width of a token's vector
  size_t attention_heads = 0;       ///< in each layer
  size_t intermediate_size = 0;     ///< width inside the feed-forward part
  size_t vocabulary_size = 0;       ///< rows of the token table
  size_t segments = 0;              ///< rows of the segment table
  size_t position_limit = 0;        ///< rows of the position table: no sequence has more tokens, special ones counted
  size_t sentence_limit = 0;        ///< tokens at which Model::embed cuts: sentence-transformers' max_seq_length, else
                                    ///< the tokenizer's model_max_length, never above position_limit
  std::vector<Head> heads = {};     ///< what the directory has weights for
  std::vector<std::string> labels = {};             ///< of a classifier's outputs, in order: id2label
  Precision precision = Precision::fp32;            ///< that the encoder computes in
  Precision attention_precision = Precision::fp32;  ///< that attention between tokens is in
  bool has_pooler = false;                          ///< whether Model::hidden gives pooled output
  bool has_sentence_modules = false;  ///< whether the directory says how its sentence vectors are made; where not,
                                      ///< Model::embed takes the mean over tokens and does not normalise
  Similarity similarity = Similarity::cosine;  ///< by which its sentence vectors are compared: similarity_fn_name, else
                                               ///< the cosine
};

/// A checkpoint, loaded: text in, results out. What it computes for a text has the same bits alone, beside any other
/// texts, in any order and with any number of threads, at one precision and on one instruction set.
///
/// The calls for vectors, for hidden states and of the heads take Taps, which watch or change the forward pass: what
/// they throw for these, and how results then differ, is said there.
///
/// Thread-safety: every const member may be called from several threads at once, on one model or on several; load() may
/// run beside them. All models of a process share one pool of threads, which never holds more than the largest
/// LoadOptions::threads less one; each caller works along, and load() has a thread more for the tokenizer. Moving,
/// assigning and destroying need the object for themselves, as usual.
class Model {
 public:
  /// Loads configuration, weights and tokenizer. Weights are looked at where they lie in the files, so these must not
  /// be changed while the model is in use; replacing them by rename is safe.
  /// @param name  a directory in Hugging Face's or sentence-transformers' layout; or a name: of a model in the
  ///   folder that the environment variable SUMMAND_MODELS names, else in share/summand/models beside the program's
  ///   folder, or in the local hub cache, "organisation/name" or "organisation/name@revision"; nothing is downloaded
  /// @param options  threads and precision
  /// @throws IoError, CheckpointError, ConfigError or TextError, each naming the file and what is wrong with it
  /// @throws UsageError if `threads` is negative, or the environment variable SUMMAND_ISA names an instruction set that
  ///   this machine does not have, or the precision asked for has no native products there
  [[nodiscard]] static Model load(const std::filesystem::path& name, const LoadOptions& options = {});

  /// Takes over another model, which can then only be assigned to or destroyed.
  Model(Model&&) noexcept;
  /// Takes over another model, which can then only be assigned to or destroyed.
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// Sizes and limits.
  [[nodiscard]] const ModelInfo& info() const;

  /// Makes a head ready, which its first use would do otherwise: the masked-language head's decoder, as large as the
  /// token table, is packed then. Nothing where it is ready.
  /// @throws ConfigError if the model has no such head
  /// @throws IoError if its weights cannot be read any more
  void prepare(Head head) const;

  /// Gives back the memory that calls leave for those after them; it is taken anew when it is needed. Calls that are
  /// under way keep theirs. Without this the model keeps what one call needs, and no more than recent ones needed.
  void release_memory() const;

  /// What was found in the directory and left out, ignored or replaced, one line each.
  [[nodiscard]] std::span<const std::string> notices() const;

  /// Sentence vectors, as sentence-transformers computes them: prompt, transformer, pooling, dense layers,
  /// normalisation, dimension cut.
  /// @return one row per text
  /// @throws TextError for a text too long under Truncation::none, or with a token that the model has no row for
  /// @throws UsageError if an option does not fit the model
  [[nodiscard]] Embeddings embed(const TextList& texts, const EmbedOptions& options = {}) const;

  /// embed() for texts of any number: memory holds one batch. The bits are those of embed().
  /// @param next  gives the texts
  /// @param take  takes the vectors, batch by batch
  /// @param options  as of embed()
  /// @param stream  how many texts at a time, who is told of them, and who may stop them
  /// @return what was done; where a stop was requested, of the batches that were given to `take`
  /// @throws TextError and UsageError as embed(), and what `next`, `take` and StreamOptions::on_progress throw
  StreamReport embed_stream(const NextText& next, const TakeEmbeddings& take, const EmbedOptions& options = {},
                            const StreamOptions& stream = {}) const;

  /// The vectors of every token, layer by layer, and the pooled output. All are in memory at once: texts' tokens ×
  /// layers × hidden × 4 bytes.
  /// @throws TextError as embed()
  /// @throws UsageError if a layer does not exist, or LengthOptions::max_length exceeds the positions
  [[nodiscard]] HiddenStates hidden(const TextList& texts, const HiddenOptions& options = {}) const;

  /// The likeliest tokens for every [MASK] of each text, as transformers' fill-mask pipeline gives them.
  /// @throws ConfigError if the model has no masked-language head, or its tokenizer no mask token
  /// @throws TextError as embed(), or naming a text without a mask
  /// @throws UsageError if a target is no id of the vocabulary, or LengthOptions::max_length exceeds the positions
  [[nodiscard]] FilledTexts fill_mask(const TextList& texts, const FillMaskOptions& options = {}) const;

  /// Whether the second text of each pair follows the first.
  /// @param pairs  of texts
  /// @param length  the limit is the positions of the model
  /// @param taps  what watches or changes the forward pass
  /// @param repeated  with taps every pair is computed
  /// @throws ConfigError if the model has no next-sentence head
  /// @throws TextError as embed(), or naming a text that is no pair
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] NextSentences next_sentence(const TextList& pairs, const LengthOptions& length = {},
                                            const Taps& taps = {},
                                            RepeatedTexts repeated = RepeatedTexts::compute_once) const;

  /// The labels of each text or pair, as transformers' text-classification pipeline scores them.
  /// @throws ConfigError if the model has no sequence classification head
  /// @throws TextError as embed()
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] ClassifiedTexts classify(const TextList& texts, const ClassifyOptions& options = {}) const;

  /// Sorts passages by how well they answer a query, as sentence-transformers' CrossEncoder does.
  /// @throws ConfigError if the model has no sequence classification head, or not one label, or names an activation
  ///   function that is not known
  /// @throws TextError as embed(), or naming a passage that is no single text
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] Ranking rerank(const std::string& query, const TextList& passages,
                               const RerankOptions& options = {}) const;

  /// Stretches of each text with their labels, as transformers' token-classification pipeline gives them: names, parts
  /// of speech.
  /// @throws ConfigError if the model has no token classification head
  /// @throws TextError as embed(), or naming a text that is a pair
  /// @throws UsageError if LengthOptions::max_length exceeds the positions
  [[nodiscard]] TaggedTexts tag(const TextList& texts, const TagOptions& options = {}) const;

  /// The stretches of a context that best answer a question, as transformers' question-answering pipeline gave them
  /// (4.57, its last). A long context is divided into windows; nothing is cut.
  /// @param pairs    a question and its context each
  /// @param options  how many answers, whether there may be none, how long an answer and a window are
  /// @throws ConfigError if the model has no question answering head
  /// @throws TextError as embed(), or naming a text that is no pair, an empty question or context, or a question that
  ///   leaves no room for its context
  /// @throws UsageError if AnswerOptions::max_length exceeds the positions, or a number is 0 that must not be
  [[nodiscard]] AnsweredQuestions answer(const TextList& pairs, const AnswerOptions& options = {}) const;

  /// Compares the engine with the readable reference in double precision, layer by layer and head by head. Takes about
  /// a second for ten tokens of bert-base. What is allowed is what single precision may differ by: a model that
  /// computes in bf16, fp16 or int8 does not agree.
  /// @param texts  none: texts of its own, with words, a pair, unknown words, Chinese, and the model's last positions
  /// @param length  the limit is the positions of the model
  /// @throws TextError as embed()
  [[nodiscard]] VerifyReport verify(const TextList& texts = {}, const LengthOptions& length = {}) const;

  /// Ids, segments and byte offsets of one text, as `tokenizers` gives them. Nothing is cut unless asked.
  /// @throws TextError if the text cannot be cut as asked, has more than 1.4 GB, or has a word unknown to a vocabulary
  ///   without an unknown token
  [[nodiscard]] Encoding tokenize(const TextView& text, const TokenizeOptions& options = {}) const;

  /// tokenize() of each text, in their order, on as many threads as LoadOptions::threads says.
  /// @throws TextError as tokenize(), of the first text that cannot be encoded
  [[nodiscard]] std::vector<Encoding> tokenize_all(const TextList& texts, const TokenizeOptions& options = {}) const;

  /// The token as the vocabulary writes it, valid as long as the model; empty where no token has the id.
  [[nodiscard]] std::string_view token(int32_t id) const;
  /// The id of a token as the vocabulary writes it, if there is one.
  [[nodiscard]] std::optional<int32_t> token_id(std::string_view token) const;
  /// The text of ids; ids that no token has are skipped.
  /// @param ids  of any number, special ones among them
  /// @param special_tokens  omit leaves out those marked special
  [[nodiscard]] std::string decode(std::span<const int32_t> ids,
                                   SpecialTokens special_tokens = SpecialTokens::omit) const;

 private:
  struct State;
  explicit Model(std::unique_ptr<const State> state);

  std::unique_ptr<const State> state_;
};

}  // namespace summand
