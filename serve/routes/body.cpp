#include "serve/routes/body.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"

namespace summand::serve {

namespace {

constexpr size_t kDeepest = 16;

constexpr size_t kMostParts = 500'000;  // each takes some hundred bytes of memory

/// What text that may be no JSON has.
struct Structure {
  size_t deepest = 0;  ///< how deep arrays and objects nest
  size_t parts = 0;    ///< arrays, objects and fields
};

Structure structure_of(std::string_view bytes) {
  Structure found;
  size_t depth = 0;
  bool in_string = false;
  for (size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      found.deepest = std::max(found.deepest, ++depth);
      ++found.parts;
    } else if (c == ':') {
      ++found.parts;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return found;
}

/// The parser's message, which quotes the body, without its own name and number: "[json.exception.parse_error.101]
/// parse error at line 1, column 2: syntax error …", "[json.exception.out_of_range.406] number overflow …".
std::string reason(const std::string& message) {
  const auto place = message.find("parse error at ");
  const std::string_view before = place == std::string::npos ? "] " : ": ";
  const auto begin = message.find(before, place == std::string::npos ? 0 : place);
  return printable(begin == std::string::npos ? message : message.substr(begin + before.size()));
}

nlohmann::json parsed(std::string_view bytes) {
  const auto structure = structure_of(bytes);
  if (structure.deepest > kDeepest) {
    throw Refused{Fault::malformed, fmt::format("expected JSON nested at most {} deep, got deeper", kDeepest)};
  }
  if (structure.parts > kMostParts) {
    throw Refused{Fault::too_large, fmt::format("expected JSON of at most {} arrays, objects and fields, got {}",
                                                kMostParts, structure.parts)};
  }
  try {
    return nlohmann::json::parse(bytes);
  } catch (const nlohmann::json::exception& error) {
    throw Refused{Fault::malformed, "expected JSON, got something else: " + reason(error.what())};
  }
}

}  // namespace

std::string kind_of(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::null:
      return "null";
    case nlohmann::json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case nlohmann::json::value_t::string:
      return "a string";
    case nlohmann::json::value_t::array:
      return "an array";
    case nlohmann::json::value_t::object:
      return "an object";
    default:
      return "the number " + value.dump();
  }
}

Body::Body(std::string_view bytes) : own_(parsed(bytes)), fields_(&own_) {
  if (!own_.is_object()) throw Refused{Fault::malformed, "expected a JSON object, got " + kind_of(own_)};
}

std::string Body::path_to(const std::string& name) const {
  return path_ + name;
}

void Body::refuse_missing(const std::string& name) const {
  constexpr size_t kMostShown = 8;
  std::vector<std::string> there;
  if (fields_) {
    for (const auto& [key, value] : fields_->items()) {
      if (there.size() < kMostShown) there.push_back("`" + printable(key) + "`");
    }
  }
  const auto got = there.empty() ? std::string("a body without fields") : fmt::format("{}", fmt::join(there, ", "));
  throw Refused{Fault::validation, fmt::format("`{}`: expected this field, got {}", path_to(name), got), path_to(name)};
}

nlohmann::json* Body::find(const std::string& name) {
  asked_->insert(path_to(name));
  if (!fields_) return nullptr;
  const auto found = fields_->find(name);
  return found == fields_->end() || found->is_null() ? nullptr : &*found;
}

std::optional<bool> Body::boolean(const std::string& name) {
  const auto* const value = find(name);
  if (!value) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  throw Refused{Fault::validation, fmt::format("`{}`: expected true or false, got {}", path_to(name), kind_of(*value)),
                path_to(name)};
}

std::optional<std::string> Body::string(const std::string& name) {
  auto* const value = find(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  throw Refused{Fault::validation, fmt::format("`{}`: expected a string, got {}", path_to(name), kind_of(*value)),
                path_to(name)};
}

std::optional<size_t> Body::count(const std::string& name, size_t least, size_t most) {
  const auto* const value = find(name);
  if (!value) return std::nullopt;
  if (value->is_number_unsigned()) {
    const auto number = value->get<uint64_t>();
    if (number >= least && number <= most) return static_cast<size_t>(number);
  }
  throw Refused{
      Fault::validation,
      fmt::format("`{}`: expected a whole number from {} to {}, got {}", path_to(name), least, most, kind_of(*value)),
      path_to(name)};
}

std::optional<std::vector<std::string>> Body::strings(const std::string& name) {
  auto* const value = find(name);
  if (!value) return std::nullopt;
  const auto refuse = [&](const std::string& where, const nlohmann::json& got, const char* expected) {
    throw Refused{Fault::validation, fmt::format("`{}`: expected {}, got {}", where, expected, kind_of(got)), where};
  };
  if (!value->is_array()) refuse(path_to(name), *value, "an array of strings");
  std::vector<std::string> list;
  list.reserve(value->size());
  for (auto& one : *value) {
    if (!one.is_string()) refuse(fmt::format("{}[{}]", path_to(name), list.size()), one, "a string");
    list.push_back(std::move(one.get_ref<std::string&>()));
  }
  return list;
}

Body Body::object(const std::string& name) {
  auto* const value = find(name);
  if (value && !value->is_object()) {
    throw Refused{Fault::validation, fmt::format("`{}`: expected an object, got {}", path_to(name), kind_of(*value)),
                  path_to(name)};
  }
  return {value, path_to(name) + ".", asked_};
}

std::vector<std::string> Body::ignored() const {
  std::vector<std::string> names;
  if (!fields_) return names;
  for (auto& [name, value] : fields_->items()) {
    const auto path = path_to(name);
    if (!asked_->contains(path)) {
      names.push_back(path);
      continue;
    }
    // An object that was read field by field.
    const auto inner = asked_->lower_bound(path + ".");
    if (!value.is_object() || inner == asked_->end() || !inner->starts_with(path + ".")) continue;
    const auto more = Body(&value, path + ".", asked_).ignored();
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

}  // namespace summand::serve
