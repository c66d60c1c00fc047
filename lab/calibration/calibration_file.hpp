#pragma once

#include <string>
#include <string_view>

#include "lab/calibration/calibration.hpp"

namespace summand::lab {

/// calibration.json: its schema, and for every claim what was planted, counts, rates with their intervals, quantiles
/// and stability, for readers and for read_calibration().
[[nodiscard]] std::string calibration_json(const Calibration& calibration);

/// What calibration_json() wrote; rates are counted again.
/// @param where  the document's name, for messages
/// @throws ConfigError if it is malformed, or of another schema
[[nodiscard]] Calibration read_calibration(std::string_view text, std::string_view where);

/// The text of lab/calibration/calibration.json that was there when this was built.
[[nodiscard]] std::string_view built_in_calibration();

/// A table for a terminal: a row for each claim, power, false-positive rate and stability of quick and full draws.
[[nodiscard]] std::string calibration_table(const Calibration& calibration, Language language);

}  // namespace summand::lab
