#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/attention/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

/// Sines and cosines of the distance, projected, which queries meet; what all queries have in common stands in two
/// biases instead of in them.
/// Source: Dai et al. 2019, section 3.3
struct TransformerXl {
  static constexpr std::string_view kName = "transformer_xl";
  static constexpr const char* kContentBias = "content_bias";
  static constexpr const char* kPositionBias = "position_bias";
  static constexpr const char* kProjection = "relative_projection.weight";

  double base = 10000.0;  ///< above 0; the longest wavelength is 2π·base

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("base", self.base);
  }
  [[nodiscard]] std::string fault(const AttentionSizes& sizes) const {
    if (!(base > 0)) return fmt::format("base: expected a number above 0, got {}", base);
    return sizes.hidden() % 2 == 0 ? "" : fmt::format("kind: expected an even hidden_size, got {}", sizes.hidden());
  }
  void add_layer_parameters(Contract& contract, const AttentionSizes& sizes) const {
    contract.vector(kContentBias, sizes.hidden(), Initialiser::zeros);
    contract.vector(kPositionBias, sizes.hidden(), Initialiser::zeros);
    contract.matrix(kProjection, sizes.hidden(), sizes.hidden());
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value terms(Ops& ops, const AttentionHeadInput<typename Ops::Value>& head,
                                          const QueryKeyTokens& tokens, const AttentionSizes& sizes) const {
    const auto least = distance(tokens.queries, tokens.keys, Extreme::least);
    const auto most = distance(tokens.queries, tokens.keys, Extreme::most);
    const auto rows = ops.product_transposed(ops.constant(waves(least, most, sizes.hidden())),
                                             ops.head_rows(ops.parameter(kProjection)));
    const auto asked = ops.plus(head.query, ops.head_columns(ops.parameter(kPositionBias)));
    const auto by_distance =
        ops.by_query(ops.product_transposed(asked, rows),
                     of_each_distance(tokens, [least](int64_t distance) { return distance - least; }));
    const auto content = ops.product_transposed(ops.head_columns(ops.parameter(kContentBias)), head.key);
    return ops.scaled(ops.plus(by_distance, content), head.scale);
  }
  bool operator==(const TransformerXl&) const = default;

 private:
  enum class Extreme { least, most };

  [[nodiscard]] static int64_t distance(const std::vector<TokenInText>& queries, const std::vector<TokenInText>& keys,
                                        Extreme extreme) {
    const auto [first_query, last_query] = std::ranges::minmax(queries, {}, &TokenInText::position_or_segment);
    const auto [first_key, last_key] = std::ranges::minmax(keys, {}, &TokenInText::position_or_segment);
    return extreme == Extreme::least
               ? static_cast<int64_t>(first_query.position_or_segment) - last_key.position_or_segment
               : static_cast<int64_t>(last_query.position_or_segment) - first_key.position_or_segment;
  }
  /// Distances from least to most. @return [most − least + 1, width]
  [[nodiscard]] Matrix<double> waves(int64_t least, int64_t most, size_t width) const {
    Matrix<double> rows(static_cast<size_t>(most - least + 1), width);
    for (size_t row = 0; row < rows.rows(); ++row) {
      for (size_t i = 0; i < width / 2; ++i) {
        const double frequency = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
        const double angle = static_cast<double>(least + static_cast<int64_t>(row)) * frequency;
        rows(row, i) = std::sin(angle);
        rows(row, i + width / 2) = std::cos(angle);
      }
    }
    return rows;
  }
};

}  // namespace summand::model
