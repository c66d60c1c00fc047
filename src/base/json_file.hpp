#pragma once

// Exposes JSON types: only for .cpp files and headers that only they include.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"

namespace summand {

using Json = nlohmann::json;

/// Nesting of lists and objects. Copying, printing and comparing values recurse, so the depth is checked before
/// parsing.
inline constexpr size_t kDeepestJson = 100;

/// Limit for a settings file's values in memory, in bytes, estimated before parsing: an object with one key takes 150
/// bytes in memory and six in the file. The largest vocabulary of a BERT, half a million tokens, takes 45 MB.
inline constexpr size_t kMostJsonMemory = 50'000'000;

/// Why a text is not JSON, and in which line, from 1; 0 if unknown.
struct JsonFault {
  size_t line = 0;
  std::string reason;
};

/// Parses one value.
/// @throws JsonFault: malformed, nested deeper than kDeepestJson, a zero byte, bytes that are not UTF-8, a lone
/// surrogate
[[nodiscard]] Json parse_json(std::string_view content);

/// A value and, if it is an object, its own keys in order, duplicates included; the value has the last of duplicates.
struct JsonWithKeys {
  Json value;
  std::vector<std::string> keys;
};

/// parse_json() that also returns the keys, for callers that refuse duplicates.
/// @throws JsonFault as parse_json
[[nodiscard]] JsonWithKeys parse_json_with_keys(std::string_view content);

/// Parses a settings file.
/// @param where  the document's name, for messages
/// @throws ConfigError naming the line, where parse_json gives a JsonFault, or if its values would take more than
/// kMostJsonMemory
[[nodiscard]] Json parse_json(std::string_view content, std::string_view where);

/// The key and the value of a member of an object.
struct JsonMember {
  std::string key;
  Json value;
};

/// A document and the members of one object in it, in order, duplicates included; in the document that object is empty.
struct JsonWithMembers {
  Json document;
  std::vector<JsonMember> members;  ///< none if there is no object at the path
};

/// parse_json() for a document with one huge object, which is cheaper as a list than as a tree.
/// @param path  the keys that lead to that object
/// @throws ConfigError as parse_json
[[nodiscard]] JsonWithMembers parse_json_with_members(std::string_view content, std::string_view where,
                                                      std::span<const std::string_view> path);

/// The whole text of a JSON file, unparsed.
/// @param most  bytes, as in read_file
/// @throws IoError if it cannot be read, is not a regular file, or is a git-lfs pointer
/// @throws ConfigError if it is longer
[[nodiscard]] std::string read_json_text(const std::filesystem::path& path, size_t most = kLongestConfiguration);

/// @throws IoError, ConfigError as read_json_text and parse_json
[[nodiscard]] Json read_json(const std::filesystem::path& path, size_t most = kLongestConfiguration);

/// A value for a message: on one line, cut; of a non-empty array or object only the kind.
[[nodiscard]] std::string shown(const Json& value);

/// A JSON object with its document and its path there, for messages. Getters return nothing for a key that is absent or
/// null, and throw ConfigError for another type: "[document] path.key: expected …, got …".
class JsonObject {
 public:
  /// A whole document.
  /// @param where  its name, for messages
  /// @throws ConfigError if it is not an object
  JsonObject(Json document, std::string where);

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const Json& json() const { return *object_; }

  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

  [[nodiscard]] std::optional<std::string> string(std::string_view key) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
  /// An integer of at least 0.
  [[nodiscard]] std::optional<uint64_t> number(std::string_view key) const;
  /// An integer of at least 1.
  [[nodiscard]] std::optional<size_t> size(std::string_view key) const;
  [[nodiscard]] std::optional<JsonObject> object(std::string_view key) const;
  [[nodiscard]] JsonObject object_or_empty(std::string_view key) const;

  /// A value of this object, as an object.
  /// @param key  its name, for messages; for an item of a list, the list's
  /// @param value  part of json()
  /// @throws ConfigError if it is not an object
  [[nodiscard]] JsonObject below(std::string_view key, const Json& value) const;

  /// The result of a getter, for a required key.
  /// @throws ConfigError if there is none
  template <typename T>
  [[nodiscard]] T require(std::string_view key, std::optional<T> value, std::string_view expected) const {
    if (!value) refuse(key, expected);
    return *std::move(value);
  }

  /// @throws ConfigError always: what was expected of a key, and its value
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;
  /// The same of one item of a list under the key.
  [[noreturn]] void refuse(std::string_view key, std::string_view expected, const Json& got) const;
  /// @throws ConfigError always: for a key with an unsupported effect on the result
  [[noreturn]] void refuse_setting(std::string_view key) const;

 private:
  JsonObject(std::shared_ptr<const Json> object, std::string where, std::string prefix);

  [[nodiscard]] std::string named(std::string_view key) const;

  std::shared_ptr<const Json> object_;  ///< shared with the document, which it keeps alive
  std::string where_;
  std::string prefix_;  ///< of keys in messages: "" in the document itself, "outer.inner." below
};

/// The object in a file, or nothing if the file does not exist.
/// @throws IoError, ConfigError as read_json; ConfigError if it is not an object
[[nodiscard]] std::optional<JsonObject> read_json_object(const std::filesystem::path& path,
                                                         size_t most = kLongestConfiguration);

}  // namespace summand
