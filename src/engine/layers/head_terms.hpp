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

/// Tokens of one text whose queries are asked, and all of its tokens, whose keys and values are: places within the
/// text.
struct QueryTokens {
  size_t text = 0;
  std::vector<size_t> indices;  ///< of the queries, in the text
};

/// What encodings do to one head of one text.
class HeadTerms {
 public:
  /// @param query, key  of the asked tokens and of all, where they are floats; not looked at where nothing needs them
  HeadTerms(const AttentionEncodings& encodings, const model::Batch& batch, const QueryTokens& asked, size_t layer,
            size_t head, MatrixView<const float> query, MatrixView<const float> key);

  /// Rotated copies of queries and keys, changed copies of values; nullopt if unchanged.
  [[nodiscard]] std::optional<Matrix<float>> queries(MatrixView<const float> query) const;
  [[nodiscard]] std::optional<Matrix<float>> keys(MatrixView<const float> key) const;
  [[nodiscard]] std::optional<Matrix<float>> values(MatrixView<const float> value) const;
  /// What is added to scaled scores, of queries first, first + 1, …: a row of [length] each, −∞ where a token is
  /// hidden. Null where nothing is.
  [[nodiscard]] const float* const* biases(size_t first) const {
    return biases_.empty() ? nullptr : biases_.data() + first;
  }
  /// Makes weights that must be 0 exactly that.
  void hide(size_t first, MatrixView<float> weights) const;
  /// context += what depends on weights, of queries first, first + 1, …
  void add_to_context(size_t first, MatrixView<const float> weights, MatrixView<float> context) const;

 private:
  /// Takes the biases where they lie in the encoding's table, if positions or segments of the text are consecutive.
  [[nodiscard]] bool point_into(const AttentionEncodings::Encoding& encoding);
  /// The sum of all biases, [queries asked, length].
  [[nodiscard]] Matrix<float> summed(MatrixView<const float> query, MatrixView<const float> key) const;
  /// In the table of an encoding by distance, the bias at distance 0.
  [[nodiscard]] const float* middle_of(const AttentionEncodings::Encoding& encoding) const;
  using Encodings = model::AppliedEncodings<KernelHeadOps>;
  /// Those that run by formula, with `pairs`, one for each, which must outlive them.
  [[nodiscard]] Encodings by_formula(const std::vector<model::Pairs>& pairs) const;

  const AttentionEncodings& encodings_;
  const model::Batch& batch_;
  const QueryTokens& asked_;
  size_t layer_;
  size_t head_;
  std::vector<model::Pairs> pairs_;   // of encodings by formula: queries asked, keys of all tokens
  Matrix<float> sums_;                // of all biases, where they lie nowhere as they are needed
  std::vector<const float*> biases_;  // a row for each query asked
};

/// What HeadTerms made of rows, or the rows.
[[nodiscard]] inline MatrixView<const float> own_or(const std::optional<Matrix<float>>& own,
                                                    MatrixView<const float> rows) {
  return own ? MatrixView<const float>(own->view()) : rows;
}

}  // namespace summand::engine
