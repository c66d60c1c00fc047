#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/batch.hpp"
#include "model/enum_names.hpp"
#include "text/tokenizer.hpp"
#include "train/data/example_stream.hpp"
#include "train/data/masks.hpp"

namespace summand::train {

/// Which tokens are in segment 1.
enum class Segments {
  pair,    ///< the second text of a pair: BERT
  parity,  ///< every second sentence
  none,    ///< none: all are 0
};
[[nodiscard]] std::span<const model::EnumName<Segments>> enum_names(Segments);

/// How to make sequences from examples.
struct SequenceRules {
  ExampleRules examples = {};
  MaskRules masks = {};
  Segments segments = Segments::pair;
  /// Positions start at a random offset where the sequence fits, not at 0.
  bool random_start = false;
  size_t positions = 512;  ///< of the model
};

/// The ids needed to build sequences.
struct SpecialIds {
  int32_t cls = 0;
  int32_t sep = 0;
  int32_t mask = 0;
  std::vector<int32_t> ordinary;    ///< all other ids
  std::vector<uint8_t> is_special;  ///< [vocabulary], 1 for [CLS], [SEP], [MASK] and [PAD], which a text may write
  std::vector<uint8_t> continues_a_word;  ///< [vocabulary], 1 for ##pieces

  /// @throws ConfigError if [CLS], [SEP] or [MASK] is missing, or there is no other token
  [[nodiscard]] static SpecialIds of(const text::Tokenizer& tokenizer);
};

/// Corrupted training sequences, with the original tokens.
struct MaskedBatch {
  model::Batch batch;
  std::vector<size_t> predicted;     ///< tokens of the batch
  std::vector<int32_t> targets;      ///< [predicted], the original ids
  std::vector<int32_t> pair_labels;  ///< [texts], or empty without pairs
  std::vector<uint8_t> corrupted;    ///< [tokens], 1 for those that were corrupted, changed or not

  /// Texts [begin, end) as a batch of their own.
  [[nodiscard]] MaskedBatch part(size_t begin, size_t end) const;
};

/// Appends a sequence to a batch.
/// @param epoch  each draws other masks
void append_masked(MaskedBatch& batch, const TokenFile& file, const Example& example, const SequenceRules& rules,
                   const SpecialIds& ids, size_t copy, uint64_t seed, uint64_t epoch);

/// Position in a stream of batches.
struct BatchPlace {
  StreamPlace stream;
  size_t copy = 0;  ///< of the example

  bool operator==(const BatchPlace&) const = default;
};

/// An endless stream of batches: as many sequences as fit in a budget of tokens, without padding. The last sequence is
/// cut to fit, so that batches have about the same number of tokens: libtorch prepares its products anew for each
/// number.
class BatchStream {
 public:
  /// @param file, ids  outlive this object
  BatchStream(const TokenFile& file, const SpecialIds& ids, const SequenceRules& rules, uint64_t seed,
              BatchPlace place = {});

  /// @param most_tokens  at least rules.examples.length
  [[nodiscard]] MaskedBatch next(size_t most_tokens);
  [[nodiscard]] BatchPlace place() const { return {stream_.place(), copy_}; }

 private:
  const TokenFile& file_;
  const SpecialIds& ids_;
  SequenceRules rules_;
  uint64_t seed_;
  ExampleStream stream_;
  size_t copy_ = 0;
};

}  // namespace summand::train
