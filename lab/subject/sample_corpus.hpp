#pragma once

#include <string>
#include <vector>

namespace summand::lab {

/// A text of the built-in corpus, or a pair of texts.
struct SampleText {
  std::string text;
  std::string text_pair;  ///< empty where the text stands alone
};

/// 60 texts for numbers that are weighted by a corpus, where the user gives none: 40 in English from two words to a
/// paragraph, 8 English pairs, 8 in Chinese, and 4 odd ones (code, an address, capitals, emoji). Written for summand.
[[nodiscard]] const std::vector<SampleText>& sample_corpus();

}  // namespace summand::lab
