#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace summand::text {

/// Half of a surrogate pair, written in JSON as an escape such as \ud83d, which is no character without the other half.
/// @param json  of any shape; bytes that are not UTF-8 are passed over
/// @return the place of the first escape that stands alone
[[nodiscard]] std::optional<size_t> find_lone_surrogate(std::string_view json);

/// The same text with \ufffd for every such escape, as long as it was.
[[nodiscard]] std::string replace_lone_surrogates(std::string_view json);

/// Bytes that such an escape has.
inline constexpr size_t kSurrogateEscape = 6;

}  // namespace summand::text
