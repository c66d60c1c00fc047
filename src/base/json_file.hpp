#pragma once

// Shows JSON types: for .cpp files, and headers that only they include.

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

/// Lists and objects in one another. Whoever copies, prints or compares a value recurses, so the depth is bounded
/// before there is one.
inline constexpr size_t kDeepestJson = 100;

/// Bytes that a settings file's values take in memory, estimated before there is one: an object of one key costs 150
/// and stands in the file with six. The largest vocabulary of a BERT, half a million tokens, costs 45 MB.
inline constexpr size_t kMostJsonMemory = 50'000'000;

/// Why a text is no JSON, and in which of its lines, counted from 1; 0 where that is not known.
struct JsonFault {
  size_t line = 0;
  std::string reason;
};

/// Parses one value.
/// @throws JsonFault: malformed, nested deeper than kDeepestJson, a zero byte, bytes that are not UTF-8, a lone
/// surrogate
[[nodiscard]] Json parse_json(std::string_view content);

/// A value and, if it is an object, its own keys in their order: one that comes twice stands there twice, while the
/// value has the last of the two.
struct JsonWithKeys {
  Json value;
  std::vector<std::string> keys;
};

/// parse_json, for whoever refuses an object in which a key comes twice.
/// @throws JsonFault as parse_json
[[nodiscard]] JsonWithKeys parse_json_with_keys(std::string_view content);

/// A settings file's text.
/// @param where  the document's name, for messages
/// @throws ConfigError naming the line, where parse_json gives a JsonFault, or if its values would take more than
/// kMostJsonMemory
[[nodiscard]] Json parse_json(std::string_view content, std::string_view where);

/// The key and the value of a member of an object.
struct JsonMember {
  std::string key;
  Json value;
};

/// A document of which one object's members are a list, in their order, one that comes twice twice; in the document
/// that object is empty.
struct JsonWithMembers {
  Json document;
  std::vector<JsonMember> members;  ///< none where there is no object at the path
};

/// As parse_json, for an object of so many members that a tree of them costs more than reading them.
/// @param path  the keys that lead to that object
/// @throws ConfigError as parse_json
[[nodiscard]] JsonWithMembers parse_json_with_members(std::string_view content, std::string_view where,
                                                      std::span<const std::string_view> path);

/// The whole text of a JSON file, not parsed yet.
/// @param most  bytes, as in read_file
/// @throws IoError if it cannot be read, is not a regular file, or is a git-lfs pointer
/// @throws ConfigError if it is longer
[[nodiscard]] std::string read_json_text(const std::filesystem::path& path, size_t most = kLongestConfiguration);

/// @throws IoError, ConfigError as read_json_text and parse_json
[[nodiscard]] Json read_json(const std::filesystem::path& path, size_t most = kLongestConfiguration);

/// A value as a message shows it: on one line, cut; of an array or an object that is not empty only the kind.
[[nodiscard]] std::string shown(const Json& value);

/// A JSON object, the document it belongs to and its place there. A key that is absent or null gives nothing; a value
/// of another type than the getter's is a ConfigError: "[document] place.key: expected …, got …".
class JsonObject {
 public:
  /// A whole document.
  /// @param where  its name, for messages
  /// @throws ConfigError if it is no object
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

  /// The object that a value in this one is.
  /// @param key  its name, for messages; items of a list go by the list's
  /// @param value  part of json()
  /// @throws ConfigError if it is no object
  [[nodiscard]] JsonObject below(std::string_view key, const Json& value) const;

  /// What a getter gave, for a key that has to be there.
  /// @throws ConfigError if it gave nothing
  template <typename T>
  [[nodiscard]] T require(std::string_view key, std::optional<T> value, std::string_view expected) const {
    if (!value) refuse(key, expected);
    return *std::move(value);
  }

  /// @throws ConfigError always: what was expected of a key, and what it holds
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;
  /// The same of one item of a list under the key.
  [[noreturn]] void refuse(std::string_view key, std::string_view expected, const Json& got) const;
  /// @throws ConfigError always: a key that would change the result in a way that nothing here computes
  [[noreturn]] void refuse_setting(std::string_view key) const;

 private:
  JsonObject(std::shared_ptr<const Json> object, std::string where, std::string prefix);

  [[nodiscard]] std::string named(std::string_view key) const;

  std::shared_ptr<const Json> object_;  ///< shared: an object keeps its document alive, and copies nothing of it
  std::string where_;
  std::string prefix_;  ///< of keys in messages: "" in the document itself, "outer.inner." below
};

/// The object in a file, or nothing where there is no such file.
/// @throws IoError, ConfigError as read_json; ConfigError if it is no object
[[nodiscard]] std::optional<JsonObject> read_json_object(const std::filesystem::path& path,
                                                         size_t most = kLongestConfiguration);

}  // namespace summand
