#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

/// JSON with errors that name the place. For the .cpp files that read JSON only.
namespace summand::text {

/// Why a text is no JSON, and in which of its lines, counted from 1.
struct JsonFault {
  size_t line;
  std::string reason;
};

/// Parses one value.
/// @throws JsonFault; bytes that are not UTF-8 and lone surrogates are faults too
[[nodiscard]] nlohmann::json parse_json(std::string_view content);

/// A view of an object in a file, and how messages call it. Valid as long as the JsonFile.
class JsonObject {
 public:
  using Json = nlohmann::json;

  /// @throws ConfigError if it is no object
  JsonObject(const Json& value, std::string file, std::string place);

  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// Nothing for a key that is absent or null.
  [[nodiscard]] const Json* find(std::string_view key) const;

  [[nodiscard]] std::optional<JsonObject> object(std::string_view key) const;

  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const {
    return get<bool>(key, &Json::is_boolean, "true or false");
  }
  [[nodiscard]] std::optional<std::string> string(std::string_view key) const {
    return get<std::string>(key, &Json::is_string, "a string");
  }
  [[nodiscard]] std::optional<uint64_t> number(std::string_view key) const {
    return get<uint64_t>(key, &Json::is_number_unsigned, "a whole number");
  }

  /// The value of a key that has to be there.
  template <typename T>
  [[nodiscard]] T require(std::string_view key, std::optional<T> value, std::string_view expected) const {
    if (!value) refuse(key, expected, "nothing");
    return *std::move(value);
  }

  /// @throws ConfigError: [file] 'place.key': expected …, got …
  [[noreturn]] void refuse(std::string_view key, std::string_view expected, std::string_view got) const;

  /// Refuses what the key says.
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

 private:
  template <typename T>
  std::optional<T> get(std::string_view key, bool (Json::*is)() const noexcept, std::string_view expected) const {
    const Json* value = find(key);
    if (!value) return std::nullopt;
    if (!(value->*is)()) refuse(key, expected);
    return value->get<T>();
  }

  const Json* value_;
  std::string file_;
  std::string place_;
};

/// A JSON file whose value is an object.
class JsonFile {
 public:
  /// @throws IoError, ConfigError naming the line
  [[nodiscard]] static JsonFile read(const std::filesystem::path& path);

  [[nodiscard]] JsonObject object() const { return {*value_, path_, "file"}; }

 private:
  JsonFile(nlohmann::json value, std::string path);

  std::unique_ptr<const nlohmann::json> value_;  ///< stays where it is when the file is moved
  std::string path_;
};

}  // namespace summand::text
