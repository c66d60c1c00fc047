#pragma once

#include "lab/probing/input_parts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// corpus_items() without special tokens: no [CLS], no [SEP], so that nothing of row 0 is left where [CLS] alone
/// stands. A text may have no token.
[[nodiscard]] CorpusItems ordinary_items(const Subject& subject);

}  // namespace summand::lab
