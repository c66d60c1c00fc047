#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "summand/range.hpp"
#include "text/encoding.hpp"
#include "text/special_template.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

/// Allowed boundaries of a window.
enum class WindowEnds {
  words,   ///< between words
  tokens,  ///< anywhere, as `tokenizers` cuts with a stride
};

/// How to divide a text that is too long for the model.
struct WindowLimits {
  size_t max_length = 0;  ///< tokens of a window, special ones counted
  size_t overlap =
      0;  ///< tokens that neighbouring windows share: at most, in whole words; exactly, with WindowEnds::tokens
  size_t repeated_bytes = 0;  ///< length of a prompt at the start of the text, which every window repeats
  WindowEnds ends = WindowEnds::words;
  size_t most_windows = std::numeric_limits<size_t>::max();  ///< the text is cut behind them
};

/// Divides a text's tokens into windows of at most `room`, each with as many whole words as fit. A word longer than a
/// window is split at tokens. Every token is in a window, no window is inside another; a text without tokens has one
/// empty window.
/// @param overlap  most tokens that a window repeats of the previous one; fewer if the next word needs the room
[[nodiscard]] std::vector<Range> window_ranges(std::span<const Token> tokens, size_t room, size_t overlap);

/// The same with windows that end at any token: each begins `room` − `overlap` tokens after the previous one.
/// Source: tokenizers 0.23.3, Encoding::truncate, to the right
/// @param overlap  less than `room`
[[nodiscard]] std::vector<Range> stepped_ranges(size_t tokens, size_t room, size_t overlap);

/// A text or a pair as one or more sequences that fit the model. For a pair every window holds the whole first text,
/// and the second is divided. Stores the tokens once (16 bytes each); sequences are made on demand.
class DividedText {
 public:
  /// @param special  outlives this object
  /// @param second  none for one text
  /// @throws TextError if the repeated tokens leave no room, or none besides the overlap
  DividedText(const SpecialTemplate& special, std::vector<Token> first, std::optional<std::vector<Token>> second,
              const WindowLimits& limits);

  [[nodiscard]] size_t windows() const { return ranges_.size(); }

  /// Tokens behind the last window: WindowLimits::most_windows.
  [[nodiscard]] size_t cut() const { return cut_; }

  /// The tokens of the divided text in a window.
  [[nodiscard]] const Range& range(size_t window) const { return ranges_[window]; }

  /// Number of tokens in every window before those of the divided text.
  [[nodiscard]] size_t leading() const;

  /// The undivided text, as from Tokenizer::encode without truncation.
  [[nodiscard]] Encoding whole() const;

  /// One window with its special tokens. Offsets and word numbers are those in the whole text. The only window of a
  /// text that fits is what Tokenizer::encode gives.
  [[nodiscard]] Encoding window(size_t index) const;

 private:
  [[nodiscard]] static std::vector<Range> ranges_of(std::span<const Token> tokens, size_t room,
                                                    const WindowLimits& limits);

  void cut_behind(size_t most_windows);

  const SpecialTemplate* special_;
  std::vector<Token> first_;
  std::optional<std::vector<Token>> second_;
  size_t repeated_ = 0;  // tokens of the first text in every window, if there is no second
  std::vector<Range> ranges_;
  size_t cut_ = 0;
};

}  // namespace summand::text
