#include "io/json_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/mapped_file.hpp"
#include "io/paths.hpp"

namespace summand::io {

namespace {

constexpr size_t kLongestFile = size_t{16} << 20;
constexpr size_t kDeepest = 100;

/// How deep lists and objects nest, without parsing: printing a value recurses, so the depth must be bounded first.
size_t depth_of(std::string_view json) {
  size_t depth = 0;
  size_t deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::string shown(const Json& value) {
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

JsonObject::JsonObject(Json object, std::string where) : object_(std::move(object)), where_(std::move(where)) {
  if (!object_.is_object()) throw ConfigError(where_, "expected a JSON object, got " + shown(object_));
}

bool JsonObject::has(std::string_view key) const {
  const auto found = object_.find(key);
  return found != object_.end() && !found->is_null();
}

std::optional<std::string> JsonObject::text(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const Json& value = *object_.find(key);
  if (!value.is_string()) refuse(key, "a string");
  return value.get<std::string>();
}

std::optional<bool> JsonObject::flag(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const Json& value = *object_.find(key);
  if (!value.is_boolean()) refuse(key, "true or false");
  return value.get<bool>();
}

std::optional<size_t> JsonObject::size(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  const Json& value = *object_.find(key);
  if (!value.is_number_unsigned() || value.get<uint64_t>() == 0) refuse(key, "an integer of at least 1");
  return value.get<size_t>();
}

JsonObject JsonObject::object(std::string_view key) const {
  const std::string place = fmt::format("{}, {}", where_, key);
  return {has(key) ? *object_.find(key) : Json::object(), place};
}

void JsonObject::refuse(std::string_view key, std::string_view expected) const {
  const auto found = object_.find(key);
  throw ConfigError(where_, fmt::format("{}: expected {}, got {}", printable(key), expected,
                                        found == object_.end() ? "none" : shown(*found)));
}

std::string read_json_text(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  const std::string_view text = file->text();
  const std::string where = path_text(path);
  if (text.size() > kLongestFile) {
    throw ConfigError(where,
                      fmt::format("expected a JSON file of at most {} bytes, got {}", kLongestFile, text.size()));
  }
  if (const size_t depth = depth_of(text); depth > kDeepest) {
    throw ConfigError(where, fmt::format("expected JSON of at most {} levels, got {}", kDeepest, depth));
  }
  if (text.find('\0') != std::string_view::npos) throw ConfigError(where, "expected JSON, got a zero byte");
  return std::string(text);
}

Json read_json(const std::filesystem::path& path) {
  Json json = Json::parse(read_json_text(path), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    throw ConfigError(path_text(path), "expected JSON, got text that does not parse as such");
  }
  return json;
}

std::optional<JsonObject> read_json_object(const std::filesystem::path& path) {
  if (!is_there(path)) return std::nullopt;
  return JsonObject(read_json(path), path_text(path));
}

}  // namespace summand::io
