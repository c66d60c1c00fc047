#include "text/record_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/utf8.hpp"
#include "text/field_names.hpp"
#include "text/lone_surrogates.hpp"

namespace summand::text {

namespace {

constexpr std::string_view kWords = "tokens";

// Names that a key may misspell: with words, `text` is not expected.
constexpr std::array<std::string_view, 4> kBesideText{"text", "text_pair", kWords, "id"};
constexpr std::array<std::string_view, 3> kBesideWords{kWords, "text_pair", "id"};

class ObjectReader {
 public:
  ObjectReader(const JsonWithKeys& object, const InputRules& rules, std::string_view where)
      : object_(object.value), keys_(object.keys), rules_(rules), where_(where) {}

  [[nodiscard]] InputRecord read() const {
    check_keys();
    InputRecord record;
    if (takes_words() && has(kWords)) {
      record.words = words();
    } else {
      record.text = string(rules_.fields.text_name());
      if (has(rules_.fields.pair_name())) record.text_pair = string(rules_.fields.pair_name());
    }
    if (has(rules_.fields.id_name())) record.id = id();
    if (rules_.fields.label) record.label = label(*rules_.fields.label);
    return record;
  }

 private:
  [[nodiscard]] bool takes_words() const { return !rules_.fields.text; }
  [[nodiscard]] bool has(std::string_view key) const { return object_.contains(key); }

  void check_keys() const {
    if (!object_.is_object()) refuse(fmt::format("expected a JSON object, got {}", shown(object_)));
    check_that_none_comes_twice();
    const auto& fields = rules_.fields;
    const bool has_words = takes_words() && has(kWords);
    if (!has(fields.text_name()) && !has_words) refuse_missing(fields.text_name(), rules_.advice.text_field);
    if (fields.text_pair && !has(*fields.text_pair)) refuse_missing(*fields.text_pair, {});
    if (fields.id && !has(*fields.id)) refuse_missing(*fields.id, {});
    if (fields.label && !has(*fields.label)) refuse_missing(*fields.label, rules_.advice.label_field);
    if (has_words) {
      if (has("text")) refuse("expected 'text' or 'tokens', got both");
      if (has(fields.pair_name())) {
        refuse(fmt::format("expected '{0}' with 'text' only, got it with 'tokens'", printable(fields.pair_name())));
      }
    }
    const std::span<const std::string_view> own =
        has_words ? std::span<const std::string_view>(kBesideWords) : std::span<const std::string_view>(kBesideText);
    refuse_misspellings(keys_, own, fields, where_);
  }

  void check_that_none_comes_twice() const {
    auto sorted = keys_;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) refuse(fmt::format("'{}': expected a key once, got it twice", printable(*twice)));
  }

  [[nodiscard]] std::string string(std::string_view key) const {
    const Json& value = object_.at(std::string(key));
    if (!value.is_string()) refuse(key, "a string", shown(value));
    return value.get<std::string>();
  }

  [[nodiscard]] std::vector<std::string> words() const {
    const Json& value = object_.at(std::string(kWords));
    if (!value.is_array()) refuse(kWords, "a list of strings", shown(value));
    for (size_t i = 0; i < value.size(); ++i) {
      if (!value[i].is_string())
        refuse(kWords, "a list of strings", fmt::format("{} as item {}", shown(value[i]), i + 1));
    }
    return value.get<std::vector<std::string>>();
  }

  [[nodiscard]] std::string id() const {
    const Json& value = object_.at(std::string(rules_.fields.id_name()));
    if (!value.is_string() && !value.is_number_integer()) {
      refuse(rules_.fields.id_name(), "a string or an integer of 64 bits", shown(value));
    }
    return value.dump();
  }

  [[nodiscard]] std::string label(const std::string& key) const {
    const auto is_one = [](const Json& value) { return value.is_string() || value.is_number() || value.is_boolean(); };
    const Json& value = object_.at(key);
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        if (!is_one(value[i])) refuse(key, "a list of labels", fmt::format("{} as item {}", shown(value[i]), i + 1));
      }
    } else if (!is_one(value)) {
      refuse(key, "a string, a number, a boolean or a list of these", shown(value));
    }
    return value.dump();
  }

  [[noreturn]] void refuse(std::string_view message) const { throw TextError(where_, message); }
  [[noreturn]] void refuse(std::string_view key, std::string_view expected, std::string_view got) const {
    refuse(fmt::format("'{}': expected {}, got {}", printable(key), expected, got));
  }
  [[noreturn]] void refuse_missing(std::string_view key, std::string_view advice) const {
    const std::string or_words = takes_words() && key == "text" ? " or 'tokens'" : "";
    refuse(fmt::format("expected the key '{}'{}, got {}{}", printable(key), or_words,
                       keys_.empty() ? "none" : quoted_list(keys_), advice));
  }

  const Json& object_;
  const std::vector<std::string>& keys_;
  const InputRules& rules_;
  std::string_view where_;
};

JsonWithKeys parse(std::string_view line, const InputRules& rules) {
  if (rules.invalid_utf8 == InvalidUtf8::replace && !is_valid_utf8(line)) {
    return parse_json_with_keys(RepairedText(line).text());
  }
  return parse_json_with_keys(line);
}

[[noreturn]] void refuse_surrogate(std::string_view line, size_t place, const InputRules& rules,
                                   std::string_view where) {
  throw TextError(where, fmt::format("expected both halves of a surrogate pair, got {} alone at byte {}; write both{}",
                                     line.substr(place, kSurrogateEscape), place + 1, rules.advice.invalid_utf8));
}

}  // namespace

InputRecord read_object(std::string_view line, const InputRules& rules, std::string_view where) {
  try {
    return ObjectReader(parse(line, rules), rules, where).read();
  } catch (const JsonFault& fault) {
    if (const auto place = find_lone_surrogate(line)) refuse_surrogate(line, *place, rules, where);
    throw TextError(where, fault.reason);
  }
}

}  // namespace summand::text
