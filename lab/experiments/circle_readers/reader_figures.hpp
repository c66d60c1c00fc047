#pragma once

#include <optional>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/experiments/circle_readers/crossings.hpp"
#include "lab/experiments/circle_readers/reader_runs.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab::circle_readers {

/// What stopping each circle moves in every head: a panel for each circle, layers and heads in it.
/// @param crossing  whose heads are framed
[[nodiscard]] Figure heads_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles,
                                  const std::optional<Crossing>& crossing);

/// Attention by offset of the two heads that cross, undisturbed and with either circle stopped.
[[nodiscard]] Figure offsets_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles,
                                    const Crossing& crossing);

/// What is moved layer by layer.
[[nodiscard]] Figure layers_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles);

/// How far sentence vectors move when a circle is stopped, reversed or sped up.
/// @param draws  for intervals
[[nodiscard]] Figure outputs_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles,
                                    const Draws& draws);

}  // namespace summand::lab::circle_readers
