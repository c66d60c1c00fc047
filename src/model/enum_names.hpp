#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace summand::model {

/// One spelling of an enumerator. The first spelling of each enumerator is the one that is written; later ones are
/// read.
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};
/// clang 16 deduces no aggregate by itself.
template <class Enum>
EnumName(Enum, std::string_view) -> EnumName<Enum>;

/// All names of an enumeration, from the function `enum_names(Enum)` in the enumeration's namespace.
template <class Enum>
requires std::is_enum_v<Enum>
[[nodiscard]] std::string_view name_of(Enum value) {
  const std::span<const EnumName<Enum>> names = enum_names(Enum{});
  const auto found = std::ranges::find(names, value, &EnumName<Enum>::value);
  return found == names.end() ? std::string_view("?") : found->name;
}

template <class Enum>
[[nodiscard]] std::optional<Enum> value_named(std::string_view name) {
  const std::span<const EnumName<Enum>> names = enum_names(Enum{});
  const auto found = std::ranges::find(names, name, &EnumName<Enum>::name);
  if (found == names.end()) return std::nullopt;
  return found->value;
}

/// "gelu, gelu_new, relu": what an error message offers.
template <class Enum>
[[nodiscard]] std::string known_names() {
  std::string list;
  for (const auto& entry : enum_names(Enum{})) {
    if (!list.empty()) list += ", ";
    list += entry.name;
  }
  return list;
}

}  // namespace summand::model
