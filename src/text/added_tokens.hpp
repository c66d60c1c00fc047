#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_trie.hpp"

namespace summand::text {

/// A token that is matched in the text before any other step.
struct AddedToken {
  std::string content = {};
  bool special = false;      ///< left out when decoding without special tokens
  bool single_word = false;  ///< not next to a letter, digit or underscore
  bool lstrip = false;       ///< takes the white space on its left
  bool rstrip = false;       ///< takes the white space on its right
  bool normalized = true;    ///< compared, normalised, with the normalised text
  int32_t id = -1;
  std::string normal_form = {};  ///< of `content`, if normalised; result of decoding
};

/// Whether two tokens are matched in the same way.
[[nodiscard]] bool same_flags(const AddedToken& a, const AddedToken& b);

/// Handling of a special token written in a text.
enum class SpecialTokensInText {
  found,  ///< it is the token
  split,  ///< it is text like any other: split_special_tokens
};

/// Finds added tokens: leftmost, longest match.
class AddedTokenMatcher {
 public:
  enum class Text { given, normalized };

  /// @param text  which tokens: those matched in the original or in the normalised text
  AddedTokenMatcher(const std::vector<AddedToken>& tokens, Text text,
                    SpecialTokensInText special_tokens = SpecialTokensInText::found);

  [[nodiscard]] bool empty() const { return !any_; }

  /// A segment of the text, and its added token, or -1.
  struct Segment {
    int32_t id;
    size_t begin;
    size_t end;
  };

  /// Replaces `segments` by those of the text; an empty text has none.
  /// @param text  valid UTF-8
  void segment(std::string_view text, std::vector<Segment>& segments) const;

 private:
  struct Pattern {
    int32_t id;
    bool single_word;
    bool lstrip;
    bool rstrip;
    bool is_text;  ///< never the token
  };

  size_t next_candidate(std::string_view text, size_t from) const;
  void accept(const Pattern& pattern, Segment match, std::string_view text, std::vector<Segment>& segments) const;

  std::vector<Pattern> patterns_;
  PieceTrie trie_;  ///< values are indices into patterns_
  std::array<bool, 256> starts_{};
  bool any_ = false;
  int only_start_ = -1;  ///< the first byte of all patterns, if the same
};

}  // namespace summand::text
