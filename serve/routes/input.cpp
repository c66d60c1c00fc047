#include "serve/routes/input.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace summand::serve {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& where, const char* expected, const json& got) {
  throw Refused{Fault::validation, fmt::format("`{}`: expected {}, got {}", where, expected, kind_of(got)), where};
}

std::vector<int32_t> read_ids(const json& list, const std::string& where) {
  std::vector<int32_t> ids;
  ids.reserve(list.size());
  for (const auto& one : list) {
    const auto here = [&] { return fmt::format("{}[{}]", where, ids.size()); };
    if (!one.is_number_integer()) refuse(here(), "a token id", one);
    const auto id = one.get<int64_t>();
    if (id < 0 || id > std::numeric_limits<int32_t>::max()) refuse(here(), "a token id", one);
    ids.push_back(static_cast<int32_t>(id));
  }
  return ids;
}

InputItem read_item(json& value, const std::string& where) {
  if (value.is_string()) return {.text = std::move(value.get_ref<std::string&>())};
  if (!value.is_array()) refuse(where, "a string or an array of token ids", value);
  return {.text = {}, .pair = {}, .ids = read_ids(value, where)};
}

json& required(Body& body, const std::string& field) {
  json* const value = body.find(field);
  if (!value) body.refuse_missing(field);
  if (value->is_array() && value->empty()) {
    throw Refused{Fault::empty, fmt::format("`{}` cannot be empty", field), field};
  }
  return *value;
}

InputItem read_pair(json& value, const std::string& where) {
  if (value.is_string()) return {.text = std::move(value.get_ref<std::string&>())};
  if (!value.is_array() || value.empty() || value.size() > 2) refuse(where, "a text or an array of one or two", value);
  for (const auto& half : value) {
    if (!half.is_string()) refuse(where, "strings", half);
  }
  InputItem item{.text = std::move(value[0].get_ref<std::string&>())};
  if (value.size() == 2) item.pair = std::move(value[1].get_ref<std::string&>());
  return item;
}

}  // namespace

Input read_input(Body& body, const std::string& field) {
  json& value = required(body, field);
  if (value.is_string()) return {.items = {read_item(value, field)}, .single = true};
  if (!value.is_array()) refuse(field, "a string, an array of strings, or token ids", value);
  if (value.front().is_number()) return {.items = {read_item(value, field)}, .single = true};
  Input input;
  input.items.reserve(value.size());
  for (auto& one : value) input.items.push_back(read_item(one, fmt::format("{}[{}]", field, input.items.size())));
  return input;
}

Input read_pairs(Body& body, const std::string& field) {
  json& value = required(body, field);
  if (value.is_string()) return {.items = {read_pair(value, field)}, .single = true};
  if (!value.is_array()) refuse(field, "a string or an array", value);
  if (value.front().is_string() && value.size() <= 2) return {.items = {read_pair(value, field)}, .single = true};
  Input input;
  input.items.reserve(value.size());
  for (auto& one : value) input.items.push_back(read_pair(one, fmt::format("{}[{}]", field, input.items.size())));
  return input;
}

}  // namespace summand::serve
