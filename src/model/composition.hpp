#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/compositions/list.hpp"
#include "model/contract.hpp"
#include "model/kinds.hpp"

namespace summand::model {

/// Prefix of a composition's parameters.
inline constexpr std::string_view kCompositionPrefix = "embeddings.composition.";

/// How wide the three tables are: as hidden_size, unless the composition says otherwise.
[[nodiscard]] inline PartWidths widths_of(const Composition& composition, size_t hidden) {
  return std::visit(
      [&](const auto& one) -> PartWidths {
        if constexpr (requires { one.widths(hidden); }) return one.widths(hidden);
        return {hidden, hidden, hidden};
      },
      composition);
}

/// Why its fields are invalid: "rank: expected 1 to hidden_size (64), got 0"; empty if they are valid.
[[nodiscard]] inline std::string validation_error(const Composition& composition, size_t hidden) {
  return kind_error(composition, hidden);
}

/// "t + p + s": the rows t, p and s as docs/variants.md writes them, for people.
[[nodiscard]] inline std::string_view formula_of(const Composition& composition) {
  return std::visit([](const auto& one) { return one.kFormula; }, composition);
}

/// One of every kind, with fields that fit the size. @param hidden  4 or more
[[nodiscard]] inline std::vector<Composition> typical_compositions(size_t hidden) {
  return typical_kinds<Composition>(hidden);
}

inline void add_parameters(const Composition& composition, size_t hidden, Contract& contract) {
  contract.part(ParameterGroup::composition, std::string(kCompositionPrefix));
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.add_parameters(contract, hidden); }) one.add_parameters(contract, hidden);
      },
      composition);
}

/// The one definition of every composition, over the operations of `Ops`.
template <CompositionOps Ops>
[[nodiscard]] typename Ops::Value compose(const Composition& composition, Ops& ops,
                                          const InputParts<typename Ops::Value>& parts) {
  return std::visit([&](const auto& one) { return one.compose(ops, parts); }, composition);
}

}  // namespace summand::model
