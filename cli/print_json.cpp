#include "cli/print_json.hpp"

#include <cstdio>
#include <utility>

namespace summand::cli {

void print_json(const nlohmann::ordered_json& json) {
  std::puts(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void print_json_line(const nlohmann::ordered_json& json) {
  std::puts(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

nlohmann::ordered_json id_json(const std::string& id) {
  return id.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(id);
}

nlohmann::ordered_json with_id(const std::string& id, nlohmann::ordered_json json) {
  if (id.empty()) return json;
  nlohmann::ordered_json named{{"id", id_json(id)}};
  for (auto& [key, value] : json.items()) named[key] = std::move(value);
  return named;
}

std::string shown_id(const nlohmann::ordered_json& id) {
  if (id.is_null()) return "";
  return id.is_string() ? id.get<std::string>() : id.dump();
}

}  // namespace summand::cli
