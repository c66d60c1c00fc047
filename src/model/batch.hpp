#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/config.hpp"

namespace summand::model {

/// A ragged batch: the tokens of all texts one after the other, without padding. Positions and segments are explicit,
/// so that an experiment can change them.
struct Batch {
  std::vector<int32_t> ids;        ///< [tokens]
  std::vector<int32_t> segments;   ///< [tokens]
  std::vector<int32_t> positions;  ///< [tokens]
  std::vector<size_t> offsets{0};  ///< [texts + 1]: text i holds tokens offsets[i] … offsets[i + 1] - 1

  [[nodiscard]] size_t tokens() const { return ids.size(); }
  [[nodiscard]] size_t texts() const { return offsets.size() - 1; }
  [[nodiscard]] size_t length(size_t text) const { return offsets[text + 1] - offsets[text]; }

  /// Appends a text whose positions count up from `first_position`.
  void add(std::span<const int32_t> text_ids, std::span<const int32_t> text_segments, int32_t first_position = 0);

  /// Texts [begin, end) as a batch of their own, positions as they are.
  [[nodiscard]] Batch part(size_t begin, size_t end) const;
  /// End of the part that begins with text `begin` and has at most `most_tokens`, or one text.
  [[nodiscard]] size_t part_end(size_t begin, size_t most_tokens) const;
};

/// What an encoding inside attention reads, [tokens].
[[nodiscard]] inline const std::vector<int32_t>& positions_or_segments(EncodedInput input, const Batch& batch) {
  return input == EncodedInput::position ? batch.positions : batch.segments;
}

/// Makes sure that a batch can be run, so that nothing in it can fail inside the parallel part. (What can fail there
/// still is reading a row of a table that is left in a file; it ends the run with IoError.)
/// @throws TextError naming the text and the token if an id, segment or position is out of range, a text is longer than
///   max_position_embeddings, or the arrays do not fit each other
void check(const Batch& batch, const Config& config);

}  // namespace summand::model
