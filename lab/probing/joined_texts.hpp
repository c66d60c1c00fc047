#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "base/random_stream.hpp"
#include "engine/engine.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// Whole texts of the corpus, one after the other, without their special tokens.
struct JoinedText {
  std::vector<int32_t> ids;
  std::vector<size_t> texts;      ///< numbers in the corpus, in their order
  std::vector<size_t> starts{0};  ///< [texts + 1], where each begins among the ids
};

/// A text's ordinary tokens: those that are not special.
[[nodiscard]] std::vector<int32_t> ordinary_tokens(const Subject& subject, size_t text);

/// Texts of `least` to `most` ordinary tokens, by their numbers.
[[nodiscard]] std::vector<size_t> texts_of_length(const Subject& subject, size_t least, size_t most);
/// The longest texts that have at least so many ordinary tokens together, or all; in the corpus' order.
[[nodiscard]] std::vector<size_t> longest_texts(const Subject& subject, size_t tokens);

/// Texts drawn among these until there are at least so many tokens; none again before all were there.
/// @param texts  at least one ordinary token among them
[[nodiscard]] JoinedText joined_text(const Subject& subject, std::vector<size_t> texts, size_t tokens,
                                     RandomStream& stream);

/// Special tokens that stand around a text: 1 in front where the tokenizer has [CLS], 1 behind where it has [SEP].
struct Frame {
  std::vector<int32_t> front;
  std::vector<int32_t> back;

  [[nodiscard]] size_t size() const { return front.size() + back.size(); }
};
[[nodiscard]] Frame frame_of(const Subject& subject);
/// The tokens in their frame, segment 0, as one more text: what stands in front at the first positions, the tokens and
/// what stands behind them `skipped` positions farther than they come.
void add_framed(model::Batch& batch, const Frame& frame, std::span<const int32_t> ids, size_t skipped = 0);

/// The last hidden states alone, [tokens, hidden].
[[nodiscard]] Table last_states(const engine::Engine& engine, const model::Batch& batch);

}  // namespace summand::lab
