#include "lab/report/assets.hpp"

namespace summand::lab {

const nlohmann::json& theme() {
  static const auto parsed = nlohmann::json::parse(assets::theme_json);
  return parsed;
}

}  // namespace summand::lab
