#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace summand::model {

/// One of several kinds, each a struct of its own: a std::variant whose alternatives have a `kName`, and their own
/// fields, if they have any:
///
///     static constexpr std::string_view kName = "concatenate_project";
///     template <class Self, class Visitor> static void visit_fields(Self& self, Visitor&& visit);  // (name, field)
///
/// Names, reading, writing and messages follow from the variant's list.
template <class Kind>
inline constexpr bool is_kind = false;
template <class... Kinds>
inline constexpr bool is_kind<std::variant<Kinds...>> = true;

template <class Variant>
concept Kinds = is_kind<Variant>;

/// Calls with a default-constructed value of each kind, in the list's order.
template <Kinds Variant, class Visitor>
void for_each_kind(Visitor&& visit) {
  [&]<size_t... Index>(std::index_sequence<Index...>) {
    (visit(Variant(std::in_place_index<Index>)), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
}

template <Kinds Variant>
[[nodiscard]] std::string_view name_of(const Variant& variant) {
  return std::visit([](const auto& one) { return std::string_view(one.kName); }, variant);
}

template <Kinds Variant>
[[nodiscard]] std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for_each_kind<Variant>([&](const Variant& one) { names.emplace_back(name_of(one)); });
  return names;
}

/// A kind with its fields as they are by default.
template <Kinds Variant>
[[nodiscard]] std::optional<Variant> kind_named(std::string_view name) {
  std::optional<Variant> found;
  for_each_kind<Variant>([&](const Variant& one) {
    if (name_of(one) == name) found = one;
  });
  return found;
}

/// Visits the fields that the kind has, as (name, field).
template <class Variant, class Visitor>
void visit_kind_fields(Variant& variant, Visitor&& visit) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.visit_fields(one, visit); }) one.visit_fields(one, visit);
      },
      variant);
}

/// Why a kind's fields are invalid: "rank: expected 1 to hidden_size (64), got 0"; empty if they are valid.
template <Kinds Variant, class Size>
[[nodiscard]] std::string kind_error(const Variant& variant, const Size& size) {
  return std::visit(
      [&](const auto& one) -> std::string {
        if constexpr (requires { one.fault(size); }) return one.fault(size);
        return "";
      },
      variant);
}

/// One of every kind, with fields that fit the size.
template <Kinds Variant, class Size>
[[nodiscard]] std::vector<Variant> typical_kinds(const Size& size) {
  std::vector<Variant> all;
  for_each_kind<Variant>([&](const Variant& kind) {
    all.push_back(std::visit(
        [&](const auto& one) -> Variant {
          if constexpr (requires { one.typical(size); }) return one.typical(size);
          return one;
        },
        kind));
  });
  return all;
}

}  // namespace summand::model
