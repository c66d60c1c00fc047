#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Of cosines, as sentence-transformers trains them against each other: MultipleNegativesRankingLoss.
inline constexpr double kCosineScale = 20;

/// Which of the corpus' texts are looked for among which.
struct RetrievalChoice {
  size_t longest = 0;        ///< tokens; longer texts are left out
  size_t most_pairs = 64;    ///< the first ones
  size_t most_others = 200;  ///< single texts, among which the pairs' second texts are found
};

/// How well a model without a head does what sentence vectors are for: each pair of the corpus is cut into its two
/// texts, and the second is looked for among those of all pairs and the corpus' single texts.
class PairRetrieval {
 public:
  PairRetrieval(const Subject& subject, const RetrievalChoice& choice);

  [[nodiscard]] size_t pairs() const { return pairs_; }
  /// First texts, their second ones, and the others.
  [[nodiscard]] const Texts& texts() const { return texts_; }
  /// Cross-entropy of each pair's second text among all, by kCosineScale times the cosines, in nats.
  /// @param edit  changes the texts, or nothing @pre there are pairs
  /// @return [pairs]
  [[nodiscard]] std::vector<double> losses(const engine::Engine& engine, const Edit& edit = {}) const;

 private:
  Texts texts_;
  size_t pairs_ = 0;
  SentenceVector vector_;
};

}  // namespace summand::lab
