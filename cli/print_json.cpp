#include "cli/print_json.hpp"

#include <cstdio>

namespace summand::cli {

void print_json(const nlohmann::ordered_json& json) {
  std::puts(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void print_json_line(const nlohmann::ordered_json& json) {
  std::puts(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace summand::cli
