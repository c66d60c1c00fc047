#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "summand/range.hpp"
#include "text/encoding.hpp"
#include "text/special_template.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

/// Where a window may begin and end.
enum class WindowEnds {
  words,   ///< between words
  tokens,  ///< anywhere, as `tokenizers` cuts with a stride
};

/// How a text that is too long for the model is divided.
struct WindowLimits {
  size_t max_length = 0;  ///< tokens of a window, special ones counted
  size_t overlap =
      0;  ///< tokens that neighbours share: at most so many, whole words; exactly so many, where ends are tokens
  size_t repeated_bytes = 0;  ///< words that begin in the text's first so many bytes, a prompt, stand in every window
  WindowEnds ends = WindowEnds::words;
};

/// Divides a text's tokens into windows of at most `room`, each filled with whole words as far as they go. The tokens
/// of a word longer than a window count as words. Every token lies in a window, no window within another; a text
/// without tokens has one empty window.
/// @param overlap  tokens that a window repeats of the one before it, at most; fewer where the next word needs the room
[[nodiscard]] std::vector<Range> window_ranges(std::span<const Token> tokens, size_t room, size_t overlap);

/// The same with windows that end at any token: each begins `room` − `overlap` tokens after the one before it.
/// Source: tokenizers 0.23.3, Encoding::truncate, to the right
/// @param overlap  less than `room`
[[nodiscard]] std::vector<Range> stepped_ranges(size_t tokens, size_t room, size_t overlap);

/// A text, or a pair, as one or more sequences that the model can take. Of a pair the first text stands whole in every
/// window, and the second is divided. Holds the tokens once (16 bytes each); the sequences are made when asked for.
class DividedText {
 public:
  /// @param special  outlives this object
  /// @param second  none for one text
  /// @throws TextError if what stands in every window leaves no room, or none beside the overlap
  DividedText(const SpecialTemplate& special, std::vector<Token> first, std::optional<std::vector<Token>> second,
              const WindowLimits& limits);

  [[nodiscard]] size_t windows() const { return ranges_.size(); }

  /// Which tokens of the text that is divided a window holds.
  [[nodiscard]] const Range& range(size_t window) const { return ranges_[window]; }

  /// Tokens of every window that stand before those of the text that is divided.
  [[nodiscard]] size_t leading() const;

  /// The text undivided, as Tokenizer::encode gives it where nothing is cut.
  [[nodiscard]] Encoding whole() const;

  /// One window with its special tokens. Offsets and word numbers are those in the whole text. The only window of a
  /// text that fits is what Tokenizer::encode gives.
  [[nodiscard]] Encoding window(size_t index) const;

 private:
  [[nodiscard]] static std::vector<Range> ranges_of(std::span<const Token> tokens, size_t room,
                                                    const WindowLimits& limits);

  const SpecialTemplate* special_;
  std::vector<Token> first_;
  std::optional<std::vector<Token>> second_;
  size_t repeated_ = 0;  // tokens of the first text that stand in every window, where there is no second
  std::vector<Range> ranges_;
};

}  // namespace summand::text
