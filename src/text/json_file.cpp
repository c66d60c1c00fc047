#include "text/json_file.hpp"

#include <algorithm>

#include "text/file.hpp"
#include "text/utf8.hpp"

namespace summand::text {

namespace {

size_t line_at(std::string_view content, size_t byte) {
  const auto end = content.begin() + static_cast<std::ptrdiff_t>(std::min(byte, content.size()));
  return 1 + static_cast<size_t>(std::count(content.begin(), end, '\n'));
}

// The parser's message without its own prefix and place.
std::string reason_of(const nlohmann::json::exception& error) {
  const std::string_view message = error.what();
  const size_t colon = message.find(": ");
  return printable(RepairedText(colon == message.npos ? message : message.substr(colon + 2)).text());
}

}  // namespace

nlohmann::json parse_json(std::string_view content) {
  if (const size_t valid = valid_utf8_prefix(content); valid != content.size()) {
    throw JsonFault{line_at(content, valid), "expected UTF-8, got other bytes"};
  }
  try {
    return nlohmann::json::parse(content);
  } catch (const nlohmann::json::parse_error& error) {
    throw JsonFault{line_at(content, error.byte > 0 ? error.byte - 1 : 0), "expected JSON, got " + reason_of(error)};
  } catch (const nlohmann::json::out_of_range& error) {
    throw JsonFault{1, "expected JSON, got " + reason_of(error)};
  }
}

JsonObject::JsonObject(const Json& value, std::string file, std::string place)
    : value_(&value), file_(std::move(file)), place_(std::move(place)) {
  if (value.is_object()) return;
  throw ConfigError(file_, fmt::format("'{}': expected an object, got {}", place_, value.type_name()));
}

JsonFile::JsonFile(nlohmann::json value, std::string path)
    : value_(std::make_unique<const nlohmann::json>(std::move(value))), path_(std::move(path)) {}

JsonFile JsonFile::read(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  try {
    JsonFile file(parse_json(content), path.string());
    (void)file.object();
    return file;
  } catch (const JsonFault& fault) {
    throw ConfigError(fmt::format("{}:{}", path.string(), fault.line), fault.reason);
  }
}

const JsonObject::Json* JsonObject::find(std::string_view key) const {
  const auto found = value_->find(key);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<JsonObject> JsonObject::object(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  return JsonObject(*value, file_, std::string(key));
}

void JsonObject::refuse(std::string_view key, std::string_view expected, std::string_view got) const {
  throw ConfigError(file_,
                    fmt::format("'{}.{}': expected {}, got {}", printable(place_), printable(key), expected, got));
}

void JsonObject::refuse(std::string_view key, std::string_view expected) const {
  const Json* value = find(key);
  refuse(key, expected, value ? printable(value->dump()) : "nothing");
}

}  // namespace summand::text
