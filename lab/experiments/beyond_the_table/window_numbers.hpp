#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/core/numbers.hpp"
#include "lab/experiments/beyond_the_table/window_runs.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

/// Of longer_tables(), all but the nulls.
inline constexpr std::array kWaysBeyond{"clamped",         "stretched",       "tiled",
                                        "hierarchical_20", "hierarchical_40", "hierarchical_60"};
[[nodiscard]] Words label_of_way(const std::string& way);

/// Windows of long texts under every table.
struct WindowsMeasured {
  std::vector<Window> windows;
  size_t width = 0;                  ///< of a block, in positions
  std::vector<LongerTable> tables;   ///< longer_tables(), without their rows
  std::vector<WindowScores> scores;  ///< [tables], each with as much text about it as within the table
  std::vector<WindowScores> whole;   ///< [tables], each in its whole text; none in a quick run
  WindowScores within;               ///< the same text about it, within the table
};

enum class HeadScores { absent, present };

struct WindowNumbersChoice {
  size_t first_position = 0;  ///< windows from here on count
  std::string prefix;         ///< of the numbers' names
  HeadScores head = HeadScores::absent;
};

/// For every way: tokens_WAY, means_WAY, text_WAY and kept_text_WAY (without a prefix), kept_WAY, and with a head
/// loss_WAY, right_WAY and kept_loss_WAY; intervals by bootstrap over windows, all tables' scores of a window together.
void add_window_numbers(const WindowsMeasured& measured, const WindowNumbersChoice& choice, const Draws& draws,
                        Numbers& numbers);

}  // namespace summand::lab
