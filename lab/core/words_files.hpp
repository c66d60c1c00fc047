#pragma once

#include <span>
#include <string_view>

namespace summand::lab {

/// A words.json, as embed_files.py put it into the program.
struct WordsFile {
  std::string_view folder;  ///< that it lies in: "spectrum"
  std::string_view json;
};

[[nodiscard]] std::span<const WordsFile> words_files();

}  // namespace summand::lab
