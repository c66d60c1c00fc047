#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// Texts of the corpus, ready to run. Positions and segments in the batch may be changed.
struct Texts {
  model::Batch batch;
  std::vector<bool> special;  ///< [tokens]: [CLS], [SEP] and their kin
  std::vector<size_t> text;   ///< [tokens], which text of the batch
};

/// Tokens of the longest one.
[[nodiscard]] size_t longest_of(const Texts& texts);

/// A text's tokens that are not special, by their places in it.
[[nodiscard]] std::vector<Eigen::Index> ordinary_words(const Texts& texts, size_t text);

/// One text more, as it is in another list.
void add_text(Texts& texts, const Texts& from, size_t text);
/// Those in which there is an ordinary word.
[[nodiscard]] Texts with_words(const Texts& texts);

struct TextChoice {
  size_t most = std::numeric_limits<size_t>::max();     ///< texts; drawn without repetition where there are more
  size_t longest = std::numeric_limits<size_t>::max();  ///< tokens; longer texts are cut to their first ones
  size_t shortest = 1;                                  ///< tokens; shorter texts are left out
};

/// In the corpus' order. No text where there is no corpus, or none fits. A segment that the model has no row for
/// becomes its last one.
[[nodiscard]] Texts texts_of(const Subject& subject, const TextChoice& choice, RandomStream& stream);

}  // namespace summand::lab
