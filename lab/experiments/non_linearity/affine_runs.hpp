#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/experiments/non_linearity/affine_fits.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

// Runs of a model with parts replaced by affine fits.
namespace summand::lab {

/// How many texts are taken.
struct AffineSize {
  size_t texts = 48;    ///< half of them to fit on, half to measure on
  size_t longest = 32;  ///< tokens
  size_t few = 8;       ///< of the measured ones, for runs of which there are many
};
inline constexpr AffineSize kFullAffine{};
inline constexpr AffineSize kQuickAffine{.texts = 48, .longest = 16, .few = 2};

/// Texts to fit on, texts to measure on; masked where the checkpoint has a head to predict them.
struct AffineTexts {
  Texts fit;
  Texts measured;
  Texts few;  ///< of the measured ones, for runs of which there are many
  std::vector<size_t> masked_fit;
  std::optional<MaskedTexts> masked;  ///< of `measured`
};

/// Of the texts with an ordinary word. @pre there is a model
[[nodiscard]] AffineTexts affine_texts(const Subject& subject, const Conditions& conditions);

/// What a run leaves.
struct AffineResults {
  Table states;   ///< [tokens, hidden], of the last layer
  Table vectors;  ///< [texts, hidden], sentence vectors
  std::optional<MaskedScores> scores;
};

/// 1 − cosine of sentence vectors, text by text; 1 where one is not finite.
[[nodiscard]] std::vector<double> changes_of(const AffineResults& own, const AffineResults& replaced);
/// Of the last hidden states, over their spread about the mean state.
[[nodiscard]] double relative_error(const AffineResults& own, const AffineResults& replaced);

/// 1 − cosine of the pooled output.
struct PoolerChanges {
  double replaced = 0;  ///< tanh
  double null = 0;      ///< the dense layer before it
  double control = 0;   ///< everything, by the mean
};

/// Added loss, in nats.
struct HeadChanges {
  double gelu = 0;
  double norm = 0;
  double both = 0;
  double null = 0;  ///< the dense layer
};

/// How far the last hidden states f of a text's words bend when the words' sums x move by u and by v, random, of half
/// the deviation of each sum. Text by text.
struct SecondDifferences {
  std::vector<double> bent;   ///< ‖f(x+u+v) − f(x+u) − f(x+v) + f(x)‖
  std::vector<double> moved;  ///< ‖f(x+u) − f(x)‖ + ‖f(x+v) − f(x)‖

  /// Of some of the texts, which may repeat: 0 of a model that is affine there.
  [[nodiscard]] double curvature(std::span<const size_t> texts) const;
};

class AffineRuns {
 public:
  /// Makes the fits. @param subject  and texts are kept by reference
  AffineRuns(const Subject& subject, const AffineTexts& texts, uint64_t seed);

  [[nodiscard]] size_t layers() const { return inputs_.layers.size(); }
  /// On the measured texts; with the scores where there is a head.
  [[nodiscard]] AffineResults run(const Replacement& replacement) const;
  /// On the measured texts, without scores.
  [[nodiscard]] AffineResults run_vectors(const Replacement& replacement) const;
  /// On a few of them, without scores.
  [[nodiscard]] AffineResults run_few(const Replacement& replacement) const;
  /// Of the words of the measured texts, whose sums alone are moved.
  [[nodiscard]] SecondDifferences second_differences(const Replacement& replacement) const;
  /// Of what the fits were made of.
  [[nodiscard]] const AffineFits& fits() const { return fits_; }
  /// Nothing without a pooler.
  [[nodiscard]] std::optional<PoolerChanges> pooler() const;
  /// Nothing without a masked-language head.
  [[nodiscard]] std::optional<HeadChanges> head() const;

 private:
  /// Which of two random directions is added to the sum.
  struct Disturbance {
    bool first = false;
    bool second = false;
  };
  [[nodiscard]] Table states(const Texts& texts, AffinePass& pass) const;
  [[nodiscard]] AffineResults results(const Texts& texts, const Replacement& replacement) const;
  [[nodiscard]] Table disturbed(const Replacement& replacement, const Disturbance& disturbance) const;

  const Subject& subject_;
  const AffineTexts& texts_;
  uint64_t seed_;
  SourceInputs inputs_;
  AffineFits fits_;
  Table fit_states_;  ///< of the fitted texts, as they are
  std::optional<PredictionHead> head_;
};

}  // namespace summand::lab
