#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"
#include "model/attention_kind.hpp"
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
    bool is_of_positions = true;  ///< or of segments
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

  /// What an encoding is told of a text's tokens.
  using Tokens = std::vector<model::TokenInText>;
  struct Tags {
    std::vector<Tokens> of_encodings;  ///< as encodings_
  };
  [[nodiscard]] Tags tags_of(const model::Batch& batch, size_t text) const;
  /// Queries, keys and values of one head, [length, head size] each.
  struct HeadRows {
    Matrix<Scalar> query, key, value;
  };
  /// As they meet: rotated, where an encoding rotates them, values with what is added to them.
  [[nodiscard]] HeadRows encoded(size_t layer, size_t head, const Tags& tags, HeadRows rows) const;
  void add_score_terms(size_t layer, size_t head, const Tags& tags, const HeadRows& rows, Matrix<Scalar>& scores) const;
  void add_context_terms(size_t layer, size_t head, const Tags& tags, const Matrix<Scalar>& weights,
                         Matrix<Scalar>& context) const;
  [[nodiscard]] model::HeadOps<Scalar> ops_of(const Encoding& encoding, size_t layer, size_t head) const;

  [[nodiscard]] Matrix<Scalar> attend(const Layer& layer, size_t index, const Matrix<Scalar>& input, const Tags& tags,
                                      const Watch& watch) const;
  [[nodiscard]] Matrix<Scalar> run_layer(size_t index, const Matrix<Scalar>& input, const Tags& tags,
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
