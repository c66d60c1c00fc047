#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/matrix_view.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/parameter.hpp"
#include "model/taps.hpp"
#include "model/weights.hpp"

// A transformer over the windows of a text. It is a BERT of the model's width whose tokens are windows: the token row
// of a window is its vector, the last hidden state of its [CLS]. Before the windows stands a place with the mean of
// their vectors; the model's own pooler and classifier read its last row, as they read [CLS]. A text of one window goes
// through it too.
// Source: Pappagari et al. 2019, "Hierarchical Transformers for Long Document Classification", section 3.3 (ToBERT).
// The mean at the first place is ours: so training begins near the mean of the windows.

namespace summand::model {

/// Of the names of its parameters, before those of a BERT.
inline constexpr std::string_view kWindowEncoderPrefix = "window_encoder.";

/// That BERT's configuration. @param config  of a model with a window_encoder
[[nodiscard]] Config window_bert_config(const Config& config);

/// Its parameters, as the model's contract has them: without a token table, pooler and classifier.
[[nodiscard]] std::vector<Parameter> window_encoder_parameters(const Config& config);

/// A parameter's name in that BERT: without the prefix, or as it is of pooler and classifier. Empty: it is not of it.
[[nodiscard]] std::string_view name_in_window_bert(std::string_view name);

/// That BERT's weights, among them a token table of one row of zeros, which WindowRows replaces.
/// @param weights  of the model
[[nodiscard]] Weights window_bert_weights(const Config& config, const Weights& weights);

/// Texts of windows, each with the place before them.
/// @param offsets  [texts + 1]: text t has the windows offsets[t] … offsets[t + 1] - 1
[[nodiscard]] Batch window_batch(std::span<const size_t> offsets);

/// Puts the vectors of windows in place of the token rows of window_batch().
template <class Scalar>
class WindowRows : public Taps<Scalar> {
 public:
  /// @param vectors  [windows, hidden], of all texts; outlives this object, as `offsets` does
  WindowRows(MatrixView<const Scalar> vectors, std::span<const size_t> offsets)
      : vectors_(vectors), offsets_(offsets) {}

  [[nodiscard]] bool wants(TapPoint point) const override { return point == TapPoint::token_part; }

  /// The mean sums in the order of the windows, and no less precisely than in double.
  void visit(const TapSite& site, MatrixView<Scalar> values) override {
    using Number = std::conditional_t<std::is_same_v<Scalar, float>, double, Scalar>;
    const size_t windows = values.rows() - 1;
    const auto own = vectors_.middle_rows(offsets_[site.text], windows);
    for (size_t window = 0; window < windows; ++window) {
      std::ranges::copy(own.row(window), values.row(window + 1).begin());
    }
    for (size_t column = 0; column < values.columns(); ++column) {
      Number sum(0);
      for (size_t window = 0; window < windows; ++window) sum = sum + Number(own(window, column));
      values(0, column) = Scalar(sum / Number(static_cast<double>(windows)));
    }
  }

 private:
  MatrixView<const Scalar> vectors_;
  std::span<const size_t> offsets_;
};

}  // namespace summand::model
