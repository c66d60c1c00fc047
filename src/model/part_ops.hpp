#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/row_ops.hpp"

namespace summand::model {

/// What an addend of a composed row is of: of every token alike, of the token, the position or the segment alone, or of
/// two or three of these together.
enum class Addend { common, token, position, segment, together };
inline constexpr std::array kAddends{Addend::common, Addend::token, Addend::position, Addend::segment,
                                     Addend::together};

/// A row as the sum of its addends.
struct RowInParts {
  using Row = std::vector<double>;

  std::array<Row, kAddends.size()> addends;  ///< each of the row's width, or empty: 0 whatever the token
  std::string map = {};                      ///< the linear map that made it; empty where none did

  [[nodiscard]] Row& of(Addend addend) { return addends[static_cast<size_t>(addend)]; }
  [[nodiscard]] const Row& of(Addend addend) const { return addends[static_cast<size_t>(addend)]; }
  [[nodiscard]] size_t width() const;
  /// @return [width()]
  [[nodiscard]] Row total() const;
};

/// The factor of a gated part.
struct GateValue {
  std::string name;  ///< of its parameters: "token_gate"
  double mean = 0;   ///< over its coordinates
};

/// A composition's parameters; biases apart, since they are an addend of their own.
struct PartParameters {
  RowOps<double>::Parameters factors;
  RowOps<double>::Parameters biases;
};

/// @param parameters  as composition_parameters() reads them
[[nodiscard]] PartParameters part_parameters(RowOps<double>::Parameters parameters);

/// CompositionOps on a row split into parts, so that a composition's formula also gives its parts:
///
/// - linear maps act on every addend separately; a bias is common;
/// - a product of two addends is of both: of `common` and another it is of the other, of one part with itself of that
///   part, of two different parts of them `together`;
/// - the logistic function makes a gate, a factor that is not split: it counts as common, so that the part it
///   multiplies keeps its label. This is a choice: a row's effect through a gate alone is not an addend.
class PartOps {
 public:
  using Value = RowInParts;

  /// @param parameters  must outlive this object
  explicit PartOps(const PartParameters& parameters) : parameters_(parameters), rows_(parameters.factors) {}

  [[nodiscard]] Value plus(Value left, const Value& right) const;
  [[nodiscard]] Value minus(Value left, const Value& right) const;
  [[nodiscard]] Value times(const Value& left, const Value& right) const;
  [[nodiscard]] Value side_by_side(const Value& left, const Value& right) const;
  [[nodiscard]] Value scale(const Value& value, std::string_view name) const;
  [[nodiscard]] Value linear(const Value& value, std::string_view name) const;
  [[nodiscard]] Value transposed(const Value& value, std::string_view name) const;
  [[nodiscard]] Value logistic(const Value& value);

  /// The gates made by logistic(), in order of the calls.
  [[nodiscard]] const std::vector<GateValue>& gates() const { return gates_; }

 private:
  const PartParameters& parameters_;
  RowOps<double> rows_;
  std::vector<GateValue> gates_;
};

}  // namespace summand::model
