#pragma once

#include <optional>

#include "api/model/loaded_model.hpp"
#include "model/heads.hpp"
#include "model/reading.hpp"

namespace summand::api {

/// How training read the texts of a head, if the checkpoint says so. It speaks of classifiers of texts and of tokens;
/// other heads know nothing of it.
[[nodiscard]] std::optional<Reading> trained_reading(const LoadedModel& model, model::Head head);

/// How a call reads its texts: as it asks, and the rest as in training.
[[nodiscard]] Reading reading_for(const LoadedModel& model, model::Head head, const Reading& asked);

}  // namespace summand::api
