#pragma once

#include <span>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/experiments/circle_readers/circle_positions.hpp"
#include "lab/experiments/circle_readers/windows.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::circle_readers {

/// The model's first layer alone, its heads made to read planes of the positions and nothing else: queries and keys are
/// where a token lies in the planes, so that the logit of two tokens is greatest where they lie in the same direction.
/// @param weights  [heads, planes], in nats: how large a head's logit is for two tokens at the circle's radius
/// @pre a head has two dimensions or more for each plane
[[nodiscard]] engine::Engine planted_readers(const Subject& subject, const Windows& windows,
                                             std::span<const PositionPlane> planes, const Table& weights);

/// How many planes a head of the model has dimensions for.
[[nodiscard]] size_t readable_planes(const Subject& subject);

/// Head i reads plane i modulo their number: they are read apart. @return [heads, planes]
[[nodiscard]] Table one_plane_each(size_t heads, size_t planes);
/// Every head reads all planes alike, each more strongly than the one before: they are not. @return [heads, planes]
[[nodiscard]] Table all_planes_alike(size_t heads, size_t planes);

}  // namespace summand::lab::circle_readers
