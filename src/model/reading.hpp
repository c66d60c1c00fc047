#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "model/enum_names.hpp"
#include "summand/text.hpp"
#include "summand/windows.hpp"

namespace summand {

// In the enumerations' namespace, for argument-dependent lookup.
[[nodiscard]] std::span<const model::EnumName<Truncation>> enum_names(Truncation);
[[nodiscard]] std::span<const model::EnumName<WindowPooling>> enum_names(WindowPooling);

}  // namespace summand

namespace summand::model {

using summand::Reading;

/// Why a model cannot read texts so: "max_length: expected …, got …"; empty if it can.
/// @param positions  that the model has
[[nodiscard]] std::string reading_error(const Reading& reading, size_t positions);

/// What a caller leaves open and the model's training says. Windows that are asked for divide, and a way to cut that is
/// asked for cuts, whatever training did.
/// @param trained  none: nothing
[[nodiscard]] Reading taken_from_training(const Reading& asked, const std::optional<Reading>& trained);

/// What a caller asks for, and the rest as training read its texts.
[[nodiscard]] Reading as_trained(const Reading& asked, const std::optional<Reading>& trained);

/// The options of `summand classify`, `rerank` and `tag` that say it: "--max-length 128 --windows mean"; empty if it
/// says nothing.
[[nodiscard]] std::string as_options(const Reading& reading);

}  // namespace summand::model
