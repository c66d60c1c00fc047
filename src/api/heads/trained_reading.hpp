#pragma once

#include <optional>
#include <string>

#include "api/model/loaded_model.hpp"
#include "model/heads.hpp"
#include "model/reading.hpp"

namespace summand::api {

/// How training read the texts of a head, if the checkpoint says so. It speaks of classifiers of texts and of tokens;
/// other heads know nothing of it.
[[nodiscard]] std::optional<Reading> trained_reading(const LoadedModel& model, model::Head head);

/// The options of the verbs that read texts so: "--max-length 128 --windows mean"; empty if the checkpoint says
/// nothing.
[[nodiscard]] std::string trained_options(const LoadedModel& model);

/// How a call reads its texts: as it asks, and the rest as in training.
/// @throws UsageError if it asks for a transformer over windows that the head has not, or for another way to combine
///   windows where it has one
[[nodiscard]] Reading reading_for(const LoadedModel& model, model::Head head, const Reading& asked);

}  // namespace summand::api
