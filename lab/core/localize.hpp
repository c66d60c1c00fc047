#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lab/core/localized_text.hpp"

namespace summand::lab {

/// What stands in a place of a text: {"bar", 0.8} in "at least {bar}", {"share", 0.8123} in "{share:.2f}". Places are
/// written as fmt writes them; numbers are doubles there, whole ones without a point where no format is asked for.
struct FormatArg {
  template <class Value>
  requires std::integral<Value> || std::floating_point<Value> FormatArg(std::string place, Value number)
      : name(std::move(place)), value(static_cast<double>(number)) {}
  FormatArg(std::string place, std::string text) : name(std::move(place)), value(std::move(text)) {}
  FormatArg(std::string place, const char* text) : name(std::move(place)), value(std::string(text)) {}
  FormatArg(std::string place, LocalizedText words) : name(std::move(place)), value(std::move(words)) {}

  std::string name;
  std::variant<double, std::string, LocalizedText> value;
};

using FormatArgs = std::vector<FormatArg>;

/// A text of a words.json: the folder's name, then the names that lead to it, with dots:
/// "spectrum.rules.E3.observation".
/// @param args  for its places; those that it has no place for are not used
/// @throws std::out_of_range naming the text, if there is none, or a place of it that nothing fills: our own mistake
[[nodiscard]] LocalizedText localize(std::string_view path, const FormatArgs& args = {});

[[nodiscard]] bool has_text(std::string_view path);

}  // namespace summand::lab
