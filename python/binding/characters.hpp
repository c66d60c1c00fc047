#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace summand::python {

/// Where bytes of UTF-8 lie among a str's characters: Python counts characters, summand counts bytes.
class Characters {
 public:
  explicit Characters(std::string_view text) {
    bool is_ascii = true;
    for (const char byte : text) is_ascii = is_ascii && (byte & 0x80) == 0;
    if (is_ascii) return;
    before_.reserve(text.size() + 1);
    size_t count = 0;
    for (const char byte : text) {
      before_.push_back(count);
      count += (byte & 0xC0) != 0x80 ? 1 : 0;
    }
    before_.push_back(count);
  }

  /// Characters before a byte.
  [[nodiscard]] size_t before(size_t byte) const {
    return before_.empty() ? byte : before_[std::min(byte, before_.size() - 1)];
  }

 private:
  std::vector<size_t> before_;  // empty where every character is a byte
};

/// Words joined by a space, in which offsets of a text of words count.
inline std::string joined_words(std::span<const std::string> words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

}  // namespace summand::python
