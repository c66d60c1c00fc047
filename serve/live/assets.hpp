#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace summand::serve::live {

/// A file of the page, as an answer to GET takes it.
struct Asset {
  std::string_view content_type;
  std::string_view bytes;
  std::string etag;  ///< a hash of the bytes, in quotes
};

/// What lies at a path of the server: "/" is the page, "/live/main.js" one of its files. Nothing for other paths. The
/// page loads nothing else, so that `Content-Security-Policy: default-src 'self'` holds for it.
[[nodiscard]] std::optional<Asset> asset(std::string_view path);

/// Of a file with this name.
[[nodiscard]] std::string_view content_type_of(std::string_view name);

}  // namespace summand::serve::live
