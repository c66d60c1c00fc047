#include "base/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/git_lfs.hpp"
#include "base/paths.hpp"
#include "base/utf8.hpp"

namespace summand {

namespace {

constexpr size_t kMegabyte = 1'000'000;

/// Calls visit(place, character, length) for every character outside strings, and for a string once, with '"' and its
/// length, until it returns false.
template <class Visit>
void scan(std::string_view content, const Visit& visit) {
  for (size_t i = 0; i < content.size(); ++i) {
    const size_t place = i;
    size_t length = 1;
    if (content[i] == '"') {
      for (++i; i < content.size() && content[i] != '"'; ++i) i += content[i] == '\\' ? 1 : 0;
      length = std::min(i, content.size()) - place - 1;
    }
    if (!visit(place, content[place], length)) return;
  }
}

/// Position of the bracket that nests too deeply, without parsing.
std::optional<size_t> too_deep_at(std::string_view content) {
  size_t depth = 0;
  std::optional<size_t> found;
  scan(content, [&](size_t place, char c, size_t) {
    if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) found = place;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
    return !found;
  });
  return found;
}

/// What the values of JSON no deeper than kDeepestJson take, and the parser's buffer for the longest string. From
/// above, by what this library's types take from the heap; a list that grows has its values three times.
size_t memory_of(std::string_view content) {
  constexpr size_t kListValue = 3 * sizeof(Json);
  constexpr size_t kList = sizeof(Json::array_t) + kListValue;
  constexpr size_t kObject = sizeof(Json::object_t) + 8;
  constexpr size_t kString = sizeof(std::string) + 8;
  constexpr size_t kMember = 88 - kString;  // a node of the map, its key included
  constexpr size_t kShort = 15;             // stored in the string object itself
  std::array<bool, kDeepestJson + 1> in_list{};
  size_t depth = 0;
  size_t bytes = 0;
  size_t longest = 0;
  const auto open = [&](bool list) {
    in_list[++depth] = list;
    bytes += list ? kList : kObject;
    return true;
  };
  scan(content, [&](size_t, char c, size_t length) {
    switch (c) {
      case '[':
        return open(true);
      case '{':
        return open(false);
      case ']':
      case '}':
        if (depth > 0) --depth;
        return true;
      case ',':
        if (in_list[depth]) bytes += kListValue;
        return true;
      case ':':
        bytes += kMember;
        return true;
      case '"':
        bytes += kString + (length > kShort ? length + 16 : 0);
        longest = std::max(longest, length);
        return true;
      default:
        return true;
    }
  });
  return bytes + 3 * longest;
}

[[noreturn]] void fault(std::string_view content, size_t byte, std::string reason) {
  const auto end = content.begin() + static_cast<std::ptrdiff_t>(std::min(byte, content.size()));
  throw JsonFault{1 + static_cast<size_t>(std::count(content.begin(), end, '\n')), std::move(reason)};
}

/// Input that the parser would accept, or spend too much on.
void check_before_parsing(std::string_view content) {
  if (content.empty()) fault(content, 0, "expected JSON, got an empty text");
  if (const size_t zero = content.find('\0'); zero != content.npos) {
    fault(content, zero, "expected JSON, got a zero byte");  // to the parser the end of the text
  }
  if (const size_t valid = valid_utf8_prefix(content); valid != content.size()) {
    fault(content, valid, "expected UTF-8, got other bytes");
  }
  if (const auto deep = too_deep_at(content)) {
    fault(content, *deep, fmt::format("expected JSON of at most {} levels, got more", kDeepestJson));
  }
}

std::string_view behind(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at == text.npos ? text : text.substr(at + mark.size());
}

/// The parser's message without its own name and place. It may quote half a character.
std::string parse_reason(const Json::exception& error) {
  std::string_view message = behind(error.what(), "] ");
  if (message.starts_with("parse error at")) message = behind(message, ": ");
  return printable(RepairedText(message).text());
}

/// @param parse  called with the content; throws as the parser does
template <class Parse>
auto parse_checked(std::string_view content, const Parse& parse) {
  try {
    return parse(content);
  } catch (const Json::parse_error& error) {
    fault(content, error.byte > 0 ? error.byte - 1 : 0, "expected JSON, got " + parse_reason(error));
  } catch (const Json::out_of_range& error) {
    throw JsonFault{0, "expected JSON, got " + parse_reason(error)};
  }
}

constexpr auto kWholeTree = [](std::string_view text) { return Json::parse(text); };

/// Parses a settings file's text, once it is known to be no danger.
/// @param parse  as parse_checked takes it
template <class Parse>
auto parse_settings(std::string_view content, std::string_view where, const Parse& parse) {
  try {
    check_before_parsing(content);
    if (const size_t bytes = memory_of(content); bytes > kMostJsonMemory) {
      throw JsonFault{0, fmt::format("expected JSON that takes at most {} MB in memory, got one of about {} MB",
                                     kMostJsonMemory / kMegabyte, (bytes + kMegabyte - 1) / kMegabyte)};
    }
    return parse_checked(content, parse);
  } catch (const JsonFault& fault) {
    throw ConfigError(fault.line > 0 ? fmt::format("{}:{}", where, fault.line) : std::string(where), fault.reason);
  }
}

/// Builds the tree of a document as the parser comes to its values, all but the members of one object.
class MembersApart : public nlohmann::json_sax<Json> {
 public:
  explicit MembersApart(std::span<const std::string_view> path) : path_(path) {}

  [[nodiscard]] JsonWithMembers take() { return std::move(read_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(value); }
  bool binary(binary_t& value) override { return add(value); }
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool key(string_t& name) override {
    open_.back().key = name;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    if (const auto* const at = dynamic_cast<const Json::parse_error*>(&error)) throw Json::parse_error(*at);
    if (const auto* const range = dynamic_cast<const Json::out_of_range*>(&error)) throw Json::out_of_range(*range);
    throw JsonFault{0, "expected JSON, got " + parse_reason(error)};
  }

 private:
  /// A list or an object whose end has not come yet.
  struct Open {
    Json* value;
    std::string key = {};  ///< of an object's member that is being read
    bool apart = false;    ///< whether it is the one whose members are listed
  };

  bool add(Json value) {
    put(std::move(value));
    return true;
  }

  Json* put(Json value) {
    if (open_.empty()) return &(read_.document = std::move(value));
    Open& in = open_.back();
    if (in.apart) return &read_.members.emplace_back(JsonMember{std::move(in.key), std::move(value)}).value;
    if (in.value->is_array()) return &in.value->emplace_back(std::move(value));
    return &((*in.value)[in.key] = std::move(value));
  }

  bool open(Json empty) {
    const bool apart = empty.is_object() && is_at_path();
    if (apart) read_.members.clear();  // of two with one name the last counts, as in the tree
    open_.push_back({.value = put(std::move(empty)), .apart = apart});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  [[nodiscard]] bool is_at_path() const {
    return std::ranges::equal(open_, path_, [](const Open& in, std::string_view key) {
      return in.value->is_object() && !in.apart && in.key == key;
    });
  }

  std::span<const std::string_view> path_;
  std::vector<Open> open_;
  JsonWithMembers read_;
};

}  // namespace

Json parse_json(std::string_view content) {
  check_before_parsing(content);
  return parse_checked(content, kWholeTree);
}

JsonWithKeys parse_json_with_keys(std::string_view content) {
  check_before_parsing(content);
  std::vector<std::string> keys;
  const auto list_keys = [&keys](int depth, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) keys.push_back(parsed.get<std::string>());
    return true;
  };
  Json value = parse_checked(content, [&](std::string_view text) { return Json::parse(text, list_keys); });
  return {std::move(value), std::move(keys)};
}

Json parse_json(std::string_view content, std::string_view where) {
  return parse_settings(content, where, kWholeTree);
}

JsonWithMembers parse_json_with_members(std::string_view content, std::string_view where,
                                        std::span<const std::string_view> path) {
  return parse_settings(content, where, [path](std::string_view text) {
    MembersApart reading(path);
    static_cast<void>(Json::sax_parse(text, &reading));  // it throws where it does not parse
    return reading.take();
  });
}

std::string read_json_text(const std::filesystem::path& path, size_t most) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::is_directory(status)) throw IoError(path_text(path), "expected a file, got a directory");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw IoError(path_text(path), "expected a regular file, got a pipe or device");
  }
  std::string text = read_file(path, most);
  refuse_git_lfs_pointer(text, path_text(path));
  return text;
}

Json read_json(const std::filesystem::path& path, size_t most) {
  return parse_json(read_json_text(path, most), path_text(path));
}

std::string shown(const Json& value) {
  if (value.is_structured() && !value.empty()) return fmt::format("an {}", value.type_name());
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

JsonObject::JsonObject(Json document, std::string where)
    : object_(std::make_shared<const Json>(std::move(document))), where_(std::move(where)) {
  if (!object_->is_object()) throw ConfigError(where_, "expected a JSON object, got " + shown(*object_));
}

JsonObject::JsonObject(std::shared_ptr<const Json> object, std::string where, std::string prefix)
    : object_(std::move(object)), where_(std::move(where)), prefix_(std::move(prefix)) {}

const Json* JsonObject::find(std::string_view key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> JsonObject::string(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) refuse(key, "a string");
  return value->get<std::string>();
}

std::optional<bool> JsonObject::boolean(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::optional<uint64_t> JsonObject::number(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_number_unsigned()) refuse(key, "an integer of at least 0");
  return value->get<uint64_t>();
}

std::optional<size_t> JsonObject::size(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_number_unsigned() || value->get<uint64_t>() == 0) refuse(key, "an integer of at least 1");
  return value->get<size_t>();
}

std::optional<JsonObject> JsonObject::object(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return std::nullopt;
  return below(key, *value);
}

JsonObject JsonObject::object_or_empty(std::string_view key) const {
  if (auto found = object(key)) return *std::move(found);
  return {std::make_shared<const Json>(Json::object()), where_, named(key) + "."};
}

JsonObject JsonObject::below(std::string_view key, const Json& value) const {
  if (!value.is_object()) refuse(key, "an object", value);
  return {std::shared_ptr<const Json>(object_, &value), where_, named(key) + "."};
}

void JsonObject::refuse(std::string_view key, std::string_view expected) const {
  if (const auto found = object_->find(key); found != object_->end()) refuse(key, expected, *found);
  throw ConfigError(where_, fmt::format("{}: expected {}, got none", named(key), expected));
}

void JsonObject::refuse(std::string_view key, std::string_view expected, const Json& got) const {
  throw ConfigError(where_, fmt::format("{}: expected {}, got {}", named(key), expected, shown(got)));
}

void JsonObject::refuse_setting(std::string_view key) const {
  const Json* value = find(key);
  throw ConfigError(where_, fmt::format("{}: this setting is not supported, expected none, got {}", named(key),
                                        value ? shown(*value) : "null"));
}

std::string JsonObject::named(std::string_view key) const {
  return prefix_ + printable(key);
}

std::optional<JsonObject> read_json_object(const std::filesystem::path& path, size_t most) {
  if (!is_there(path)) return std::nullopt;
  return JsonObject(read_json(path, most), path_text(path));
}

}  // namespace summand
