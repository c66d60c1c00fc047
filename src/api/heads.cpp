#include "api/heads.hpp"

#include <fmt/format.h>

#include <string>

#include "base/error.hpp"

namespace summand::api {

void require_head(const LoadedModel& model, model::Head head) {
  const auto& parts = model.checkpoint().parts;
  if (parts.has(head)) return;
  std::string present;
  for (const auto one : parts.heads) present += (present.empty() ? "" : ", ") + std::string(model::name_of(one));
  throw ConfigError("heads", fmt::format("this model has no {} head; it has: {}", model::name_of(head),
                                         present.empty() ? "none" : present));
}

}  // namespace summand::api
