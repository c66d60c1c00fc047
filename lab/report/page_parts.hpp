#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace summand::lab {

/// JSON for inside a <script> element: no "<" stands there, since "</script" ends it, whatever text it came from.
[[nodiscard]] std::string script_safe(const nlohmann::json& data);

/// Appends a template up to a mark, then what goes in its place. @param rest  of the template; begins behind the mark
/// then
void fill(std::string& page, std::string_view& rest, std::string_view mark, std::string_view text);

/// Every verdict's English words with both languages', as pages name them.
[[nodiscard]] nlohmann::json verdict_words();

}  // namespace summand::lab
