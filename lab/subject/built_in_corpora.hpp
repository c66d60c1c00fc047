#pragma once

#include <string_view>
#include <vector>

#include "text/input_record.hpp"

namespace summand::lab {

/// Texts that the program carries, for numbers that are weighted by a corpus where the user gives none.
struct BuiltInCorpus {
  std::string_view name;  ///< as --corpus takes it
  std::vector<text::InputRecord> texts;
};

/// "english", 73 texts of which 24 are pairs, and "chinese", 49 of which 16 are pairs. Prose written for summand; the
/// two texts of a pair say the same in other words. 13 and 9 single texts say something else in the words of a pair's
/// second text (as PAWS has them: Zhang et al. 2019), so that words alone do not find it. From two words to more than
/// 512 tokens of bert-base-uncased and bert-base-chinese.
[[nodiscard]] const std::vector<BuiltInCorpus>& built_in_corpora();

/// Null where none has the name.
[[nodiscard]] const BuiltInCorpus* built_in_corpus(std::string_view name);

}  // namespace summand::lab
