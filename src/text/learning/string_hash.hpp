#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace summand::text {

/// Allows lookup by string_view in a map of strings.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace summand::text
