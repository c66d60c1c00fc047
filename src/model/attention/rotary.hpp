#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/attention/ops.hpp"
#include "model/positions/sinusoidal.hpp"

namespace summand::model {

/// Queries and keys are rotated, pair of columns by pair, by angles that grow with their positions: their products
/// depend on the distance alone.
/// Source: Su et al. 2021 (RoFormer), equations 14 to 16 and 34
struct Rotary {
  static constexpr std::string_view kName = "rotary";

  double base = 10000.0;                                ///< above 0
  SinusoidLayout layout = SinusoidLayout::interleaved;  ///< which columns are a pair
  bool values = false;                                  ///< whether values are rotated too

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("base", self.base);
    visit("layout", self.layout);
    visit("values", self.values);
  }
  [[nodiscard]] std::string fault(const AttentionSizes& sizes) const {
    if (!(base > 0)) return fmt::format("base: expected a number above 0, got {}", base);
    if (sizes.head_size % 2 == 0) return "";
    return fmt::format("kind: expected heads of an even width, got {}", sizes.head_size);
  }
  /// The two columns of a head that are rotated together.
  [[nodiscard]] std::pair<size_t, size_t> columns_of_pair(size_t pair, size_t head_size) const {
    if (layout == SinusoidLayout::interleaved) return {2 * pair, 2 * pair + 1};
    return {pair, pair + head_size / 2};
  }
  /// By how much, in radians.
  [[nodiscard]] double angle(int32_t position_or_segment, size_t pair, size_t head_size) const {
    return position_or_segment * std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(head_size));
  }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value rotate(Ops& ops, const typename Ops::Value& rows,
                                           const std::vector<TokenInText>& tokens, const AttentionSizes& sizes) const {
    Matrix<double> own(tokens.size(), sizes.head_size);
    Matrix<double> of_partner(tokens.size(), sizes.head_size);
    std::vector<size_t> partners(sizes.head_size);
    for (size_t pair = 0; pair < sizes.head_size / 2; ++pair) {
      const auto [first, second] = columns_of_pair(pair, sizes.head_size);
      partners[first] = second;
      partners[second] = first;
      for (size_t row = 0; row < tokens.size(); ++row) {
        const double by = angle(tokens[row].position_or_segment, pair, sizes.head_size);
        own(row, first) = std::cos(by);
        own(row, second) = std::cos(by);
        of_partner(row, first) = -std::sin(by);
        of_partner(row, second) = std::sin(by);
      }
    }
    return ops.plus(ops.times(rows, ops.constant(own)),
                    ops.times(ops.columns(rows, partners), ops.constant(of_partner)));
  }
  [[nodiscard]] bool changes_values() const { return values; }
  template <AttentionOps Ops>
  [[nodiscard]] typename Ops::Value changed_values(Ops& ops, const typename Ops::Value& rows,
                                                   const std::vector<TokenInText>& tokens,
                                                   const AttentionSizes& sizes) const {
    return rotate(ops, rows, tokens, sizes);
  }
  bool operator==(const Rotary&) const = default;
};

}  // namespace summand::model
