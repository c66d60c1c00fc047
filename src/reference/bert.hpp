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
  using Weight = typename WeightOf<Scalar>::Type;

  /// An encoding inside attention with its parameters, those of each layer and those of all.
  struct Encoding {
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

  /// The tokens of a text as each of encodings_ numbers them.
  using EncodingPairs = std::vector<model::Pairs>;
  [[nodiscard]] EncodingPairs pairs_of(const model::Batch& batch, size_t text) const;
  using Encodings = model::AppliedEncodings<model::HeadOps<Scalar>>;
  [[nodiscard]] Encodings encodings_of(size_t layer, size_t head, const EncodingPairs& pairs) const;
  struct HeadAttention;
  [[nodiscard]] Matrix<Scalar> attend(const Layer& layer, size_t index, const Matrix<Scalar>& input,
                                      const EncodingPairs& pairs, const Watch& watch) const;
  [[nodiscard]] Matrix<Scalar> run_layer(size_t index, const Matrix<Scalar>& input, const EncodingPairs& pairs,
                                         const Watch& watch) const;
  [[nodiscard]] Matrix<Scalar> rows_of(const model::Tensor& tensor, std::span<const int32_t> indices) const;
  [[nodiscard]] Matrix<Scalar> position_rows(std::span<const int32_t> positions) const;
  [[nodiscard]] Matrix<Scalar> segment_rows(std::span<const int32_t> segments) const;

  model::Config config_;
  model::Weights weights_;  // the embedding tables stay where they lie
  typename model::RowOps<Scalar>::Parameters composition_;
  std::optional<Matrix<double>> positions_;  // where their table is computed
  std::optional<Norm<Scalar>> input_norm_;
  std::vector<Layer> layers_;
  std::vector<Encoding> encodings_;  // inside attention
  std::optional<Linear<Scalar>> pooler_;
};

extern template class Bert<float>;
extern template class Bert<double>;
extern template class Bert<Dual<double>>;
extern template class Bert<Dual<Dual<double>>>;
extern template class Bert<MixedDual>;

}  // namespace summand::reference
