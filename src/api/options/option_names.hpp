#pragma once

#include <span>
#include <string_view>

#include "api/batches/window_combiner.hpp"
#include "api/heads/tag.hpp"
#include "api/model/loaded_model.hpp"
#include "model/enum_names.hpp"
#include "model/sentence_modules.hpp"
#include "summand/similarity.hpp"
#include "text/truncation.hpp"

namespace summand::api {

/// All names of poolings.
[[nodiscard]] std::span<const model::EnumName<model::Pooling>> poolings();

/// All names of similarities.
[[nodiscard]] std::span<const model::EnumName<Similarity>> similarities_known();

/// @throws UsageError listing the choices
[[nodiscard]] Similarity similarity_named(std::string_view name);
[[nodiscard]] model::Pooling pooling_named(std::string_view name);
[[nodiscard]] WindowPooling window_pooling_named(std::string_view name);
[[nodiscard]] text::Truncation truncation_named(std::string_view name);
[[nodiscard]] Precision precision_named(std::string_view name);
[[nodiscard]] Aggregation aggregation_named(std::string_view name);

/// The names in options.
[[nodiscard]] std::string_view name_of(Similarity measure);
[[nodiscard]] std::string_view name_of(WindowPooling pooling);
/// @param precision not of_checkpoint
[[nodiscard]] std::string_view name_of(Precision precision);
[[nodiscard]] std::string_view name_of(text::Truncation truncation);

}  // namespace summand::api
