#pragma once

#include <nlohmann/json.hpp>

#include "lab/core/figure.hpp"
#include "lab/report/report.hpp"

namespace summand::lab {

/// The figure's specification as the page gets it: sizes where it names none, of a matrix all of it, and no data but a
/// matrix's image. What figure.hpp lets stand for texts, sizes and colours still stands there.
[[nodiscard]] nlohmann::json page_specification(const Figure& figure);

/// What a program that reads Vega-Lite draws: for one language, `width` pixels wide, on white paper, with its data.
[[nodiscard]] nlohmann::json whole_specification(const Figure& figure, Language language, double width);

}  // namespace summand::lab
