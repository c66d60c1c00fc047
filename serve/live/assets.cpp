#include "serve/live/assets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.hpp"
#include "serve/live/asset_files.hpp"

namespace summand::serve::live {

namespace {

constexpr std::string_view kFolder = "/live/";
constexpr std::string_view kPage = "index.html";

std::string etag_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return fmt::format("\"{:016x}\"", hash.value());
}

}  // namespace

std::string_view content_type_of(std::string_view name) {
  using Type = std::pair<std::string_view, std::string_view>;
  static constexpr std::array kTypes{
      Type{".html", "text/html; charset=utf-8"},
      Type{".css", "text/css; charset=utf-8"},
      Type{".js", "text/javascript; charset=utf-8"},
      Type{".json", "application/json"},
      Type{".svg", "image/svg+xml"},
      Type{".csv", "text/csv; charset=utf-8"},
      Type{".tsv", "text/tab-separated-values; charset=utf-8"},
      Type{".md", "text/plain; charset=utf-8"},
      Type{".txt", "text/plain; charset=utf-8"},
  };
  const auto* type = std::ranges::find_if(kTypes, [&](const auto& one) { return name.ends_with(one.first); });
  return type == kTypes.end() ? "application/octet-stream" : type->second;
}

std::optional<Asset> asset(std::string_view path) {
  std::string_view name = kPage;
  if (path != "/") {
    if (!path.starts_with(kFolder)) return std::nullopt;
    name = path.substr(kFolder.size());
    if (name == kPage) return std::nullopt;  // its addresses are those of "/"
  }
  const auto files = asset_files();
  const auto file = std::ranges::find(files, name, &AssetFile::name);
  if (file == files.end()) return std::nullopt;
  return Asset{.content_type = content_type_of(name), .bytes = file->text, .etag = etag_of(file->text)};
}

}  // namespace summand::serve::live
