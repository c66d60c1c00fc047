#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "lab/core/experiment.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// How far an intervention moves what a model makes of some texts.
struct OutputChange {
  std::vector<double> vectors;  ///< [texts], 1 − cosine of a text's sentence vector with its undisturbed one
  std::vector<double> states;   ///< [layers + 1], 1 − linear CKA over tokens; none where it was not asked for
  /// [texts with a masked token], masked-language loss less the undisturbed one, in nats; none without a head
  std::vector<double> losses;
  double accuracy = 0;  ///< of masked tokens, less the undisturbed one
};

/// Whether hidden states are compared too: it costs as much as the run.
enum class CompareStates { skip, all };

/// Changes texts before they run: their ids, segments or positions, never their lengths.
using Edit = std::function<void(model::Batch&)>;

/// Some texts and what one model makes of them: what interventions are compared to. With a masked-language head its
/// loss too, of the same masked tokens throughout.
class Undisturbed {
 public:
  /// @param engine  the undisturbed model, for now only
  /// @param masks   draws what is masked
  /// @pre there is a text, and the model is one of the subject's
  Undisturbed(const Subject& subject, const engine::Engine& engine, Texts texts, RandomStream& masks);

  [[nodiscard]] const Texts& texts() const { return texts_; }
  [[nodiscard]] const Table& vectors() const { return vectors_; }
  [[nodiscard]] SentenceVector vector() const { return vector_; }
  /// Whether there is a masked-language head.
  [[nodiscard]] bool has_loss() const { return masked_.has_value(); }

  /// @param edit  changes the texts, or nothing; masked tokens stay masked
  [[nodiscard]] OutputChange change(const engine::Engine& engine, const Edit& edit = {},
                                    CompareStates states = CompareStates::skip) const;

 private:
  /// Every few tokens' rows: as many as tell states apart.
  [[nodiscard]] Results sampled(const Results& results) const;
  [[nodiscard]] std::vector<double> losses_by_text(const MaskedScores& scores) const;

  Texts texts_;
  SentenceVector vector_;
  Table vectors_;
  Results states_;  // of the sampled tokens
  std::optional<MaskedTexts> masked_;
  std::vector<double> losses_;
  double accuracy_ = 0;
};

/// Place by place the mean of changes of the same texts.
[[nodiscard]] OutputChange mean_of(std::span<const OutputChange> changes);

/// The mean of some texts' values, and where it lies when the texts are drawn anew.
/// @param draws  their stream names what is resampled. @pre there are values of kLeastResampled texts
[[nodiscard]] Estimate mean_over_texts(std::span<const double> values, const Draws& draws);
/// Of one mean over another: at most a thousand, also where the other is 0.
[[nodiscard]] double ratio_of_means(std::span<const double> values, std::span<const double> others);
/// The same with texts drawn anew, of both alike.
[[nodiscard]] Estimate ratio_over_texts(std::span<const double> values, std::span<const double> others,
                                        const Draws& draws);

}  // namespace summand::lab
