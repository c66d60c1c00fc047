#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"
#include "engine/layers/attention_encodings.hpp"
#include "engine/layers/kernel_head_ops.hpp"
#include "model/attention/attend.hpp"
#include "model/batch.hpp"

namespace summand::engine {

/// The tokens of one text whose queries attend to all of its tokens.
struct QueryTokens {
  size_t text = 0;
  std::vector<size_t> indices;  ///< in the text
};

/// What encodings inside attention change in one head of one text.
class HeadTerms {
 public:
  /// @param query  of the tokens asked; not read where nothing runs by formula
  /// @param key    of all tokens; likewise
  HeadTerms(const AttentionEncodings& encodings, const model::Batch& batch, const QueryTokens& asked, size_t layer,
            size_t head, MatrixView<const float> query, MatrixView<const float> key);

  /// Rotated copies of queries and keys, changed copies of values; nullopt if unchanged.
  [[nodiscard]] std::optional<Matrix<float>> queries(MatrixView<const float> query) const;
  [[nodiscard]] std::optional<Matrix<float>> keys(MatrixView<const float> key) const;
  [[nodiscard]] std::optional<Matrix<float>> values(MatrixView<const float> value) const;
  /// Rows of [length] that are added to scaled scores of queries first, first + 1, …, −∞ where a token is hidden; null
  /// if nothing is added.
  [[nodiscard]] const float* const* biases(size_t first) const {
    return biases_.empty() ? nullptr : biases_.data() + first;
  }
  /// Sets the weights of hidden tokens to exactly 0.
  void hide(size_t first, MatrixView<float> weights) const;
  /// Adds the terms that depend on weights, of queries first, first + 1, …
  void add_to_context(size_t first, MatrixView<const float> weights, MatrixView<float> context) const;

 private:
  /// Points biases_ into the encoding's table, if positions or segments of the text are consecutive.
  [[nodiscard]] bool point_into(const AttentionEncodings::Encoding& encoding);
  /// The sum of all biases, [queries asked, length].
  [[nodiscard]] Matrix<float> summed(MatrixView<const float> query, MatrixView<const float> key) const;
  /// In the table of an encoding by distance, the bias at distance 0.
  [[nodiscard]] const float* middle_of(const AttentionEncodings::Encoding& encoding) const;
  using Encodings = model::AppliedEncodings<KernelHeadOps>;
  /// Those that run by formula. @param tokens  one for each; must outlive the result
  [[nodiscard]] Encodings by_formula(const std::vector<model::QueryKeyTokens>& tokens) const;

  const AttentionEncodings& encodings_;
  const model::Batch& batch_;
  const QueryTokens& asked_;
  size_t layer_;
  size_t head_;
  std::vector<model::QueryKeyTokens> tokens_;  // of encodings by formula: queries of asked tokens, keys of all
  Matrix<float> sums_;                         // of all biases, where point_into() does not apply
  std::vector<const float*> biases_;           // a row [length] for each query
};

/// What HeadTerms made of rows, or the rows.
[[nodiscard]] inline MatrixView<const float> own_or(const std::optional<Matrix<float>>& own,
                                                    MatrixView<const float> rows) {
  return own ? MatrixView<const float>(own->view()) : rows;
}

}  // namespace summand::engine
