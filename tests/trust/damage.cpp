#include "trust/damage.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "io/files.hpp"

namespace summand::trust {

namespace {

using Json = nlohmann::json;

constexpr size_t kLengthBytes = 8;

/// Draws everything that a seed decides.
class Dice {
 public:
  explicit Dice(uint32_t seed) : random_(seed) {}
  [[nodiscard]] size_t below(size_t count) { return count == 0 ? 0 : random_() % count; }
  template <class List>
  [[nodiscard]] const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 random_;
};

Json nested(size_t levels) {
  Json value = 1;
  for (size_t i = 0; i < levels; ++i) value = i % 2 == 0 ? Json::array({value}) : Json{{"a", value}};
  return value;
}

/// What no configuration means, and what a wrong program might take at its word.
const std::vector<Json>& strange_values() {
  static const std::vector<Json> values{
      nullptr,
      true,
      false,
      0,
      1,
      -1,
      3,
      64,
      1.5,
      -0.0,
      1e-320,
      1e308,
      -1e308,
      int64_t{1} << 20,
      (int64_t{1} << 27) - 2,
      int64_t{1} << 28,
      INT32_MAX,
      int64_t{INT32_MAX} + 1,
      UINT32_MAX,
      int64_t{1} << 53,
      INT64_MAX,
      INT64_MIN,
      UINT64_MAX,
      "",
      "x",
      "..",
      "/dev/zero",
      "[UNK]",
      "a\n\x1b[2J\xC2\x9B\xE2\x80\xA8z",
      std::string("a\0b", 3),
      std::string(100'000, 'a'),
      Json::array(),
      Json::object(),
      Json::array({1, "a", nullptr}),
      Json(std::vector<int>(10'000, 7)),
      Json(std::vector<std::string>(1000, "Dense")),
      nested(20),
      nested(98),
      nested(200),
  };
  return values;
}

/// A value somewhere in a document: each step goes down with a chance, so that every depth is reached.
Json& some_value(Json& document, Dice& dice) {
  Json* value = &document;
  while (value->is_structured() && !value->empty() && dice.below(6) != 0) {
    auto next = value->begin();
    std::advance(next, static_cast<std::ptrdiff_t>(dice.below(value->size())));
    value = &*next;
  }
  return *value;
}

Json& some_structure(Json& document, Dice& dice) {
  for (int tries = 0; tries < 20; ++tries) {
    Json& value = some_value(document, dice);
    if (value.is_structured() && !value.empty()) return value;
  }
  return document;
}

std::string some_key(const Json& object, Dice& dice) {
  auto at = object.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(dice.below(object.size())));
  return at.key();
}

void change_structure(Json& value, Dice& dice) {
  if (!value.is_structured() || value.empty()) return;
  if (value.is_array()) {
    const auto at = dice.below(value.size());
    if (dice.below(2) == 0) {
      value.erase(at);
    } else {
      const Json copy = value[at];
      for (size_t count = dice.below(2) == 0 ? 1 : 200; count > 0; --count) value.push_back(copy);
    }
    return;
  }
  const std::string key = some_key(value, dice);
  const Json old = value[key];
  switch (dice.below(4)) {
    case 0:
      value.erase(key);
      return;
    case 1:
      value.erase(key);
      value[key + "_"] = old;
      return;
    case 2:
      value[some_key(value, dice)] = old;
      return;
    default:
      value["a\nb" + key] = old;
  }
}

/// Numbers that begin in a shape or a size and end near it or far from it.
void change_number(Json& value, Dice& dice) {
  if (!value.is_number_integer()) return;
  const auto number = value.get<uint64_t>();
  const std::array<uint64_t, 8> others{number + 1,   number - 1, 2 * number, number * 1024,
                                       number << 31, number / 2, ~number,    0};
  value = dice.of(others);
}

void change_json(Json& document, Dice& dice) {
  switch (dice.below(4)) {
    case 0:
      some_value(document, dice) = dice.of(strange_values());
      return;
    case 1:
      change_number(some_value(document, dice), dice);
      return;
    case 2:
      change_structure(some_structure(document, dice), dice);
      return;
    default: {
      const Json copy = some_value(document, dice);
      some_value(document, dice) = copy;
    }
  }
}

std::string written(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The JSON in a file, and what stands around it.
struct Text {
  Json json;
  bool header = false;  ///< of a safetensors file
  std::string rest;
};

std::optional<Text> json_in(const std::string& name, const std::string& bytes) {
  Text text{.json = {}, .header = name.ends_with(".safetensors"), .rest = {}};
  std::string content = bytes;
  if (text.header) {
    uint64_t length = 0;
    if (bytes.size() < kLengthBytes) return std::nullopt;
    std::memcpy(&length, bytes.data(), kLengthBytes);
    if (length > bytes.size() - kLengthBytes) return std::nullopt;
    content = bytes.substr(kLengthBytes, length);
    text.rest = bytes.substr(kLengthBytes + length);
  } else if (!name.ends_with(".json")) {
    return std::nullopt;
  }
  text.json = Json::parse(content, nullptr, false);
  if (text.json.is_discarded()) return std::nullopt;
  return text;
}

/// Changes a file's JSON and leaves everything around it right, so that what is behind the parser is reached.
bool damage_json(const std::string& name, std::string& bytes, Dice& dice) {
  auto text = json_in(name, bytes);
  if (!text) return false;
  change_json(text->json, dice);
  bytes = text->header ? io::test::safetensors_bytes(written(text->json), text->rest) : written(text->json);
  return true;
}

void damage_bytes(std::string& bytes, Dice& dice) {
  const std::string alphabet("{}[]\",:0123456789-.eE\\u \n\r\0\x1b\xff\x80\xC2", 31);
  const size_t at = dice.below(bytes.size());
  if (bytes.empty()) bytes = "x";
  const auto random_bytes = [&](size_t count) {
    std::string some;
    while (some.size() < count) some += dice.of(alphabet);
    return some;
  };
  switch (dice.below(7)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice.below(8)));
      break;
    case 1:
      bytes[at] = dice.of(alphabet);
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.erase(at, 1 + dice.below(20));
      break;
    case 4:
      bytes.insert(at, random_bytes(1 + dice.below(20)));
      break;
    case 5:
      bytes.insert(at, bytes.substr(dice.below(bytes.size()), 1 + dice.below(300)));
      break;
    default: {  // the header's length, where there is one
      const std::array<uint64_t, 6> lengths{0, 2, bytes.size(), bytes.size() - 7, uint64_t{1} << 40, UINT64_MAX};
      const uint64_t length = dice.of(lengths);
      std::memcpy(bytes.data(), &length, std::min(bytes.size(), kLengthBytes));
    }
  }
}

void damage_whole(Damaged& damaged, const std::string& name, Dice& dice) {
  std::string& bytes = damaged.files[name];
  const std::array<const char*, 5> repeated{"[", "{\"a\":", "\"", "a", "\n"};
  switch (dice.below(6)) {
    case 0:
      bytes.clear();
      return;
    case 1:
      bytes = std::next(damaged.files.begin(), static_cast<std::ptrdiff_t>(dice.below(damaged.files.size())))->second;
      return;
    case 2: {
      const std::string piece = dice.of(repeated);
      bytes.clear();
      for (size_t count = dice.below(2) == 0 ? 100 : 200'000; count > 0; --count) bytes += piece;
      return;
    }
    default:
      damaged.files.erase(name);
      damaged.removed_for = name;
      damaged.instead =
          std::array{Damaged::Instead::nothing, Damaged::Instead::directory, Damaged::Instead::loop}[dice.below(3)];
  }
}

}  // namespace

Damaged damaged(const Files& files, uint32_t seed) {
  Dice dice(seed);
  Damaged result{.files = files, .removed_for = {}, .what = {}};
  for (size_t changes = 1 + dice.below(2) * dice.below(4); changes > 0 && !result.files.empty(); --changes) {
    const auto file = std::next(result.files.begin(), static_cast<std::ptrdiff_t>(dice.below(result.files.size())));
    const std::string name = file->first;
    const size_t kind = dice.below(20);
    if (kind < 12 && damage_json(name, file->second, dice)) {
      result.what += name + ": JSON; ";
    } else if (kind < 18) {
      damage_bytes(file->second, dice);
      result.what += name + ": bytes; ";
    } else if (result.removed_for.empty()) {
      damage_whole(result, name, dice);
      result.what += name + ": whole; ";
    }
  }
  return result;
}

void for_each_replaced_value(const Files& files, const std::function<void(const Damaged&)>& use) {
  Damaged result{.files = files, .removed_for = {}, .what = {}};
  for (const auto& [name, bytes] : files) {
    if (!name.ends_with(".json")) continue;
    const Json whole = Json::parse(bytes);
    std::vector<Json::json_pointer> places;
    std::function<void(const Json&, const Json::json_pointer&)> visit = [&](const Json& value, const auto& place) {
      places.push_back(place);
      if (value.is_object()) {
        for (const auto& [key, below] : value.items()) visit(below, place / key);
      } else if (value.is_array()) {
        for (size_t i = 0; i < value.size(); ++i) visit(value[i], place / i);
      }
    };
    visit(whole, Json::json_pointer());
    for (const auto& place : places) {
      for (size_t i = 0; i < strange_values().size(); ++i) {
        Json changed = whole;
        changed[place] = strange_values()[i];
        result.files[name] = written(changed);
        result.what = name + place.to_string() + " is strange value " + std::to_string(i);
        use(result);
      }
    }
    result.files[name] = bytes;
  }
}

}  // namespace summand::trust
