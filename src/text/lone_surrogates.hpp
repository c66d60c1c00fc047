#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace summand::text {

/// Finds half a surrogate pair, in JSON an escape such as \ud83d, which is no character without the other half.
/// @param json  any JSON; invalid UTF-8 is skipped
/// @return offset of the first such escape
[[nodiscard]] std::optional<size_t> find_lone_surrogate(std::string_view json);

/// The same text, of the same length, with \ufffd for every such escape.
[[nodiscard]] std::string replace_lone_surrogates(std::string_view json);

/// Length of such an escape in bytes.
inline constexpr size_t kSurrogateEscape = 6;

}  // namespace summand::text
