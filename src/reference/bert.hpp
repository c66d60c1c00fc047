#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"
#include "model/attention/attend.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/row_ops.hpp"
#include "model/taps.hpp"
#include "model/weights.hpp"
#include "reference/dual.hpp"
#include "reference/dual_vector.hpp"
#include "reference/layers.hpp"

namespace summand::reference {

/// What a forward pass leaves of one text.
template <class Scalar>
struct Output {
  std::vector<Matrix<Scalar>> hidden_states;  ///< layers + 1 of [length, hidden]; the first is the normalised sum
  std::vector<Scalar> pooled;                 ///< [hidden], or empty where the model has no pooler
};

/// BERT, written to be read: one text at a time, one loop per index of each formula. It is the first file to read and
/// the oracle of everything faster, and runs on float, double and dual numbers.
/// Source: Devlin et al. 2019, section 3; transformers, models/bert/modeling_bert.py, whose class each step names.
///
/// Thread-safety: run() is const and may be called from several threads at once.
template <class Scalar>
class Bert {
 public:
  /// @throws CheckpointError naming the tensor if `weights` lacks one
  Bert(const model::Config& config, const model::Weights& weights);

  /// @param text  which text of the batch
  /// @param taps  watches or replaces what passes; may be null
  /// @throws TextError if the batch does not fit the configuration
  [[nodiscard]] Output<Scalar> run(const model::Batch& batch, size_t text, model::Taps<Scalar>* taps = nullptr) const;

 private:
  using Real = typename RealOf<Scalar>::Type;

  /// An encoding inside attention, with the parameters that all layers share and those of each layer.
  struct AttentionEncodingWithParameters {
    model::AttentionEncoding encoding;
    model::AttentionParameters<Scalar> shared;
    std::vector<model::AttentionParameters<Scalar>> layers;
  };
  struct Layer {
    std::optional<Linear<Scalar>> query, key, value;  ///< none: the hidden state itself
    Linear<Scalar> attention_output;
    Norm<Scalar> attention_norm;
    Linear<Scalar> intermediate, output;
    Norm<Scalar> output_norm;
  };
  /// Who is watching, and which text this is.
  struct Watch {
    model::Taps<Scalar>* taps = nullptr;
    size_t text = 0;
    void operator()(model::TapPoint point, size_t layer, Matrix<Scalar>& values, size_t head = 0) const;
  };

  /// The three rows of each token of a text.
  using Parts = model::InputParts<Matrix<Scalar>>;
  [[nodiscard]] Parts parts_of(const model::Batch& batch, size_t text) const;
  [[nodiscard]] Matrix<Scalar> embed(Parts& parts, const Watch& watch) const;
  void add_per_layer_inputs(const Parts& parts, Matrix<Scalar>& hidden) const;

  /// A text's tokens for each of encodings_, with the positions or segments that it reads.
  using EncodingTokens = std::vector<model::QueryKeyTokens>;
  [[nodiscard]] EncodingTokens tokens_of_encodings(const model::Batch& batch, size_t text) const;
  using Encodings = model::AppliedEncodings<model::HeadOps<Scalar>>;
  /// The encodings as one head of one layer applies them. @param tokens  must outlive the result
  [[nodiscard]] Encodings applied_encodings(size_t layer, size_t head, const EncodingTokens& tokens) const;
  struct HeadAttention;
  [[nodiscard]] Matrix<Scalar> attend(const Layer& layer, size_t index, const Matrix<Scalar>& input,
                                      const EncodingTokens& tokens, const Watch& watch) const;
  [[nodiscard]] Matrix<Scalar> run_layer(size_t index, const Matrix<Scalar>& input, const EncodingTokens& tokens,
                                         const Watch& watch) const;
  [[nodiscard]] Matrix<Scalar> rows_of(const model::Tensor& tensor, std::span<const int32_t> indices) const;
  [[nodiscard]] Matrix<Scalar> rows_of_positions(std::span<const int32_t> positions) const;
  [[nodiscard]] Matrix<Scalar> rows_of_segments(std::span<const int32_t> segments) const;

  model::Config config_;
  model::Weights weights_;  // the embedding tables stay where they lie
  typename model::RowOps<Scalar>::Parameters composition_;
  std::optional<Matrix<double>> computed_positions_;  // none: learned rows, or no positions
  std::optional<Norm<Scalar>> input_norm_;
  std::vector<Layer> layers_;
  std::vector<AttentionEncodingWithParameters> encodings_;  // inside attention
  std::optional<Linear<Scalar>> pooler_;
};

extern template class Bert<float>;
extern template class Bert<double>;
extern template class Bert<Dual<double>>;
extern template class Bert<Dual<Dual<double>>>;
extern template class Bert<MixedDual>;

}  // namespace summand::reference
