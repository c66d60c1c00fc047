#pragma once

#include <optional>
#include <string>

#include "lab/core/localized_text.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Why no claim is measured of a model: they are about BERT, positions and segments that enter with the input, once,
/// behind a normalisation, and its attention. Of another model they would be measured with what they take out still
/// in. Nothing of a BERT, whatever composes its three rows, and of a table alone.
[[nodiscard]] std::optional<LocalizedText> beyond_claims(const Subject& subject);

/// @throws ConfigError naming the checkpoint, if no claim is measured of it
void require_claims(const Subject& subject);

}  // namespace summand::lab
