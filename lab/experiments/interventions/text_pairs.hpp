#pragma once

#include <cstddef>

#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// How many texts are taken, and how long one may be.
struct PairChoice {
  size_t most = 0;     ///< of each kind
  size_t longest = 0;  ///< tokens; longer ones are left out
};

/// The corpus by kind.
struct TextsByKind {
  Texts pairs;    ///< of the corpus, and two neighbouring single texts joined where they fit
  Texts singles;  ///< as they are
};

/// In the corpus' order. A joined pair is what the tokenizer makes of two texts: the second without its first special
/// token, in segment 1. A model with one segment row has it in segment 0.
[[nodiscard]] TextsByKind texts_by_kind(const Subject& subject, const PairChoice& choice);

}  // namespace summand::lab
