#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/subject/subject.hpp"
#include "text/encoding.hpp"
#include "text/input_reader.hpp"

namespace summand::lab {

/// A sentence to explore, as the model reads it.
struct ChosenSentence {
  text::Encoding encoding;  ///< at most kExploredTokens
  std::string text;
  std::string text_pair;  ///< empty where it stands alone
  LocalizedText why;
};

/// What --sentence gave: texts, or pairs as "A ||| B".
/// @throws UsageError if there are more than kMostGiven, a text is empty, or one has more than two
[[nodiscard]] std::vector<text::InputRecord> given_sentences(std::span<const std::string> options);

/// Those given, cut at kExploredTokens; where they are fewer than four, then of the corpus: a pair, or where none is
/// one, two texts put together; the one that repeats most, one in Chinese that the vocabulary has, and the first
/// others.
/// @pre there is a model
/// @throws TextError if a given one has a token that the model has no row for; UsageError if it has no token, or is a
///   pair and the model has one segment
[[nodiscard]] std::vector<ChosenSentence> chosen_sentences(const Subject& subject,
                                                           std::span<const text::InputRecord> given);

}  // namespace summand::lab
