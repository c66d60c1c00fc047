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

/// Which tokens are told a segment of their own.
enum class Segments {
  pair,    ///< the second text of a pair: BERT
  parity,  ///< every second sentence
  none,    ///< none: all are 0
};
[[nodiscard]] std::span<const model::EnumName<Segments>> enum_names(Segments);

/// How sequences are made of examples.
struct SequenceRules {
  ExampleRules examples = {};
  MaskRules masks = {};
  Segments segments = Segments::pair;
  /// Positions count from any place where the sequence fits, not from 0.
  bool random_start = false;
  size_t positions = 512;  ///< that the model has
};

/// The tokens that sequences are put together with.
struct SpecialIds {
  int32_t cls = 0;
  int32_t sep = 0;
  int32_t mask = 0;
  std::vector<int32_t> ordinary;    ///< all others that words are made of
  std::vector<uint8_t> is_special;  ///< [vocabulary], 1 for [CLS], [SEP], [MASK] and [PAD], which a text may write
  std::vector<uint8_t> continues_a_word;  ///< [vocabulary], 1 for ##pieces

  /// @throws ConfigError if [CLS], [SEP] or [MASK] is missing, or there is no other token
  [[nodiscard]] static SpecialIds of(const text::Tokenizer& tokenizer);
};

/// Sequences to learn from, corrupted, and what they were.
struct MaskedBatch {
  model::Batch batch;
  std::vector<size_t> predicted;     ///< tokens of the batch
  std::vector<int32_t> targets;      ///< [predicted], what stood there
  std::vector<int32_t> pair_labels;  ///< [texts], or empty without pairs
  std::vector<uint8_t> corrupted;    ///< [tokens], 1 for those that may have been changed
};

/// Appends a sequence to a batch.
/// @param epoch  its masks are drawn anew in each
void append_masked(MaskedBatch& batch, const TokenFile& file, const Example& example, const SequenceRules& rules,
                   const SpecialIds& ids, size_t copy, uint64_t seed, uint64_t epoch);

/// Where a stream of batches is.
struct BatchPlace {
  StreamPlace stream;
  size_t copy = 0;  ///< of the example

  bool operator==(const BatchPlace&) const = default;
};

/// Batches without end: as many sequences as a budget of tokens holds, without padding. The last one is cut to what is
/// left, so that all batches have about as many tokens: libtorch makes its products anew for every other number.
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
