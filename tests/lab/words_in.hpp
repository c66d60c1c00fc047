#pragma once

#include <cstddef>
#include <sstream>
#include <string>

/// How many words an English text has.
inline size_t words_in(const std::string& text) {
  std::istringstream stream(text);
  std::string word;
  size_t count = 0;
  while (stream >> word) ++count;
  return count;
}
