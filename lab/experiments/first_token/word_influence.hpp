#pragma once

#include <cstddef>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// What thinned() drops of the ordinary words.
inline constexpr double kThinned = 0.15;

/// How far vectors move when one of a text's ordinary words is taken away, and how unevenly over the words.
struct WordInfluence {
  std::vector<double> first;   ///< [words], Euclidean, of the first token's last vector
  std::vector<double> mean;    ///< of the mean over the ordinary words' last vectors
  std::vector<double> drawn;   ///< of the last vector of a word drawn, itself among the words
  std::vector<double> second;  ///< of another word drawn
};

/// Puts [MASK] in the place of each ordinary word, one at a time; [UNK] where the tokenizer has no [MASK].
/// @param drawn, second  places in the text @pre two ordinary words or more, and one of both tokens
[[nodiscard]] WordInfluence word_influence(const Subject& subject, const engine::Engine& engine, const Texts& texts,
                                           size_t text, Eigen::Index drawn, Eigen::Index second);

/// How often each text's other half, or copy, is the nearest among all texts' by cosine.
/// @param one, other  [texts, hidden]; row i of one belongs to row i of the other @return [texts], 1 or 0
[[nodiscard]] std::vector<double> found(const Table& one, const Table& other);

/// Texts in two versions each.
struct TextPairs {
  Texts one;
  Texts other;
};

/// First and second half of the ordinary words, [CLS] and [SEP] around each.
[[nodiscard]] TextPairs halves_of(const Subject& subject, const Texts& texts, size_t least_words);
/// The text, and the text without some of its ordinary words.
[[nodiscard]] TextPairs thinned(const Subject& subject, const Texts& texts, RandomStream& stream);

/// Vectors that stand for a text.
struct Readouts {
  Table first;               ///< [texts, hidden], the first token's last vector
  Table mean;                ///< of all ordinary words' last vectors
  Table pooled;              ///< tanh(W·h + b) of the first token's; no rows without a pooler
  std::vector<Table> words;  ///< some ordinary word's, drawn anew each time
};
[[nodiscard]] Readouts readouts(const engine::Engine& engine, const Texts& texts, size_t draws, RandomStream& stream);

}  // namespace summand::lab
