#pragma once

#include "lab/core/localized_text.hpp"
#include "model/composition.hpp"
#include "model/config.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

[[nodiscard]] LocalizedText words_of(const model::Composition& composition);

/// Counted from the configuration, without heads.
[[nodiscard]] double parameters_of(const model::Config& config);
[[nodiscard]] double parameters_of(const model::Config& config, model::ParameterGroup part);
/// Those that composing takes besides the three tables.
[[nodiscard]] double own_parameters(model::Config config, const model::Composition& composition);

/// Additions and multiplications that composing one token's input takes, as the formulas stand.
[[nodiscard]] double operations_of(const model::Composition& composition, size_t hidden);
/// Of all layers for one token: their matrices, without attention's own part, which grows with the text.
[[nodiscard]] double operations_of_layers(const model::Config& config);

/// The composition of most operations and most parameters, at every width.
inline constexpr model::VectorGate kDearest;

/// Everything as many times as wide: three times, where every part is as wide as the model and they stand side by side.
[[nodiscard]] model::Config times_as_wide(model::Config config, int times);
/// Every part a third as wide: the model keeps its width, its tables shrink.
[[nodiscard]] double parameters_of_thirds(const model::Config& config);

}  // namespace summand::lab
