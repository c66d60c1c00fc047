#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/learning/counted_words.hpp"
#include "text/learning/string_hash.hpp"

namespace summand::text {

/// Prefix of a piece that continues a word.
inline constexpr const char* kContinuing = "##";

/// The ids of two neighbouring pieces in a word.
struct PiecePair {
  uint32_t left = 0;
  uint32_t right = 0;
  [[nodiscard]] auto operator<=>(const PiecePair&) const = default;

  struct Hash {
    size_t operator()(const PiecePair& pair) const {
      const uint64_t both = (uint64_t{pair.left} << 32 | pair.right) * 0x9E3779B97F4A7C15;
      return static_cast<size_t>(both ^ both >> 32);
    }
  };
};

/// Pieces by id, in order of creation. A piece that continues a word begins with ##.
class Pieces {
 public:
  /// @return the piece's id; new if the piece is new
  uint32_t add(std::string_view piece);

  /// Adds the concatenation of two pieces: "un" and "##able" make "unable".
  uint32_t add_merged(PiecePair pair);

  [[nodiscard]] size_t size() const { return list_.size(); }
  [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> ids_;
};

/// The characters of the pieces.
struct Alphabet {
  std::vector<char32_t> characters;  ///< in ascending order
  size_t left_out = 0;               ///< number of rarer characters beyond the limit
};

/// The most frequent characters of the words; ties go to lower code points.
/// @param limit  at most this many
[[nodiscard]] Alphabet most_frequent_characters(std::span<const CountedWord> words, size_t limit);

}  // namespace summand::text
