#pragma once

#include "api/model/loaded_model.hpp"
#include "model/heads.hpp"

namespace summand::api {

/// @throws ConfigError naming the heads that the model has, if the one that is needed is not among them
void require_head(const LoadedModel& model, model::Head head);

}  // namespace summand::api
