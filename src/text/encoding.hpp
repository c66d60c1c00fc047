#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace summand::text {

/// Bytes [begin, end) of the text given.
struct Offset {
  size_t begin = 0;
  size_t end = 0;
  [[nodiscard]] bool operator==(const Offset&) const = default;
};

/// A text as the model reads it; all vectors have one element per token.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> segments;  ///< 0 for the first text, 1 for the second, or what the template says
  std::vector<Offset> offsets;    ///< [0, 0) for special tokens that were put around the text
  std::vector<int32_t> words;     ///< number of the word in its text, from 0; -1 for those special tokens
  std::vector<uint8_t> special;   ///< 1 for those special tokens; one that stands in the text itself has 0
  size_t cut = 0;                 ///< tokens that truncation removed
};

}  // namespace summand::text
