#include "text/lone_surrogates.hpp"

#include <charconv>

namespace summand::text {

namespace {

enum class Half { none, high, low };

/// Of the escape at a place, which may be none.
Half half_at(std::string_view json, size_t at) {
  if (json.size() - at < kSurrogateEscape || json[at] != '\\' || json[at + 1] != 'u') return Half::none;
  unsigned value = 0;
  const char* const digits = json.data() + at + 2;
  const auto [end, failed] = std::from_chars(digits, digits + 4, value, 16);
  if (failed != std::errc() || end != digits + 4 || value < 0xD800 || value > 0xDFFF) return Half::none;
  return value < 0xDC00 ? Half::high : Half::low;
}

/// The first one at or behind a place that no string's escape ends behind.
std::optional<size_t> find_from(std::string_view json, size_t at) {
  while ((at = json.find('\\', at)) != json.npos) {
    const Half half = half_at(json, at);
    if (half == Half::low) return at;
    if (half == Half::high) {
      if (half_at(json, at + kSurrogateEscape) != Half::low) return at;
      at += kSurrogateEscape;
    }
    at += half == Half::none ? 2 : kSurrogateEscape;
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> find_lone_surrogate(std::string_view json) {
  return find_from(json, 0);
}

std::string replace_lone_surrogates(std::string_view json) {
  std::string replaced(json);
  for (auto at = find_from(json, 0); at; at = find_from(json, *at + kSurrogateEscape)) {
    replaced.replace(*at, kSurrogateEscape, "\\ufffd");
  }
  return replaced;
}

}  // namespace summand::text
