#pragma once

// Shows JSON types: for the .cpp files of this room only.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace summand::io {

using Json = nlohmann::json;

/// A JSON object and the place it stands at. Each getter gives nothing where the key is absent or null, and throws a
/// ConfigError that names key, expected and got where the value is of another type.
class JsonObject {
 public:
  JsonObject(Json object, std::string where);

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const Json& json() const { return object_; }
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
  /// An integer of at least 1.
  [[nodiscard]] std::optional<size_t> size(std::string_view key) const;
  /// The object below a key; an empty one where it is absent.
  [[nodiscard]] JsonObject object(std::string_view key) const;
  /// @throws ConfigError always: what was expected of a key, and what it holds
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

 private:
  Json object_;
  std::string where_;
};

/// The whole text of a JSON file after the checks that bound what parsing it can cost.
/// @throws IoError if it cannot be read
/// @throws ConfigError if it is longer than 16 MiB, nested deeper than 100 levels or contains a zero byte
[[nodiscard]] std::string read_json_text(const std::filesystem::path& path);

/// @throws IoError if it cannot be read
/// @throws ConfigError if it is not JSON
[[nodiscard]] Json read_json(const std::filesystem::path& path);

/// The object in a file, or nothing where there is no such file.
[[nodiscard]] std::optional<JsonObject> read_json_object(const std::filesystem::path& path);

}  // namespace summand::io
