#include "text/learning/segmented_words.hpp"

#include <algorithm>
#include <string>

#include "base/utf8.hpp"

namespace summand::text {

SegmentedWords::SegmentedWords(std::span<const CountedWord> words, const Alphabet& alphabet, Pieces& pieces) {
  for (const char32_t character : alphabet.characters) {
    std::string piece;
    append_utf8(piece, character);
    pieces.add(piece);
  }
  words_.reserve(words.size());
  for (const auto& [word, count] : words) {
    Word& segmented = words_.emplace_back(Word{.begin = pieces_.size(), .count = static_cast<int64_t>(count)});
    for (size_t at = 0; at < word.size();) {
      const DecodedCharacter decoded = decode_valid_utf8(word.data() + at);
      const std::string character = word.substr(at, decoded.bytes);
      if (std::ranges::binary_search(alphabet.characters, decoded.code_point)) {
        pieces_.push_back(pieces.add(at == 0 ? character : kContinuing + character));
      }
      at += decoded.bytes;
    }
    segmented.length = static_cast<uint32_t>(pieces_.size() - segmented.begin);
  }
}

}  // namespace summand::text
