#include "text/learning/pieces.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace summand::text {

uint32_t Pieces::add(std::string_view piece) {
  const auto next = static_cast<int32_t>(list_.size());
  const auto [place, fresh] = ids_.emplace(piece, next);
  if (fresh) list_.emplace_back(piece);
  return static_cast<uint32_t>(place->second);
}

uint32_t Pieces::add_merged(PiecePair pair) {
  constexpr std::string_view kPrefix = kContinuing;
  std::string_view right = list_[pair.right];
  if (right.starts_with(kPrefix)) right.remove_prefix(kPrefix.size());
  return add(list_[pair.left] + std::string(right));
}

Alphabet most_frequent_characters(std::span<const CountedWord> words, size_t limit) {
  std::unordered_map<char32_t, uint64_t> counts;
  for (const auto& [word, count] : words) {
    for (size_t at = 0; at < word.size();) {
      const DecodedCharacter decoded = decode_valid_utf8(word.data() + at);
      counts[decoded.code_point] += count;
      at += decoded.bytes;
    }
  }
  std::vector<std::pair<char32_t, uint64_t>> ranked(counts.begin(), counts.end());
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Alphabet alphabet;
  alphabet.left_out = ranked.size() - std::min(ranked.size(), limit);
  ranked.resize(ranked.size() - alphabet.left_out);
  for (const auto& [character, count] : ranked) alphabet.characters.push_back(character);
  std::ranges::sort(alphabet.characters);
  return alphabet;
}

}  // namespace summand::text
