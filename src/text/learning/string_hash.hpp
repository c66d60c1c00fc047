#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace summand::text {

/// Lets a map of strings be asked by a view, without a copy.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace summand::text
