#pragma once

#include "api/model/loaded_model.hpp"
#include "model/heads.hpp"

namespace summand::api {

/// @throws ConfigError naming the model's heads, if the required one is not among them
void require_head(const LoadedModel& model, model::Head head);

}  // namespace summand::api
