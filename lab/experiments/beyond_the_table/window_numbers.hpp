#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/beyond_the_table/window_runs.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

/// Families over the ways.
namespace beyond_the_table {

inline constexpr NumberName kTokens{"beyond_the_table", "tokens"};
inline constexpr NumberName kKept{"beyond_the_table", "kept"};
inline constexpr NumberName kMeans{"beyond_the_table", "means"};
inline constexpr NumberName kText{"beyond_the_table", "text"};
inline constexpr NumberName kKeptText{"beyond_the_table", "kept_text"};
inline constexpr NumberName kLoss{"beyond_the_table", "loss"};
inline constexpr NumberName kKeptLoss{"beyond_the_table", "kept_loss"};
inline constexpr NumberName kRight{"beyond_the_table", "right"};
inline constexpr NumberName kFarTokens{"beyond_the_table", "far_tokens"};
inline constexpr NumberName kFarKept{"beyond_the_table", "far_kept"};

/// By which the table has to differ from noise, the mean over windows, for a part of that to be kept or lost.
inline constexpr double kLeastApart = 0.02;      ///< of a cosine
inline constexpr double kLeastLossApart = 0.05;  ///< nats

}  // namespace beyond_the_table

/// Of longer_tables(), all but the nulls.
inline constexpr std::array kWaysBeyond{"clamped",         "stretched",       "tiled",
                                        "hierarchical_20", "hierarchical_40", "hierarchical_60"};
[[nodiscard]] LocalizedText label_of_way(const std::string& way);

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

enum class Beyond { the_table, twice_the_table };

struct WindowNumbersChoice {
  size_t first_position = 0;  ///< windows from here on count
  Beyond beyond = Beyond::the_table;
  HeadScores head = HeadScores::absent;
};

/// How many windows from a position on have a masked word.
[[nodiscard]] size_t masked_windows(const WindowsMeasured& measured, size_t first_position);

/// For every way, beyond the table: tokens_WAY, means_WAY, text_WAY, kept_WAY and kept_text_WAY, and with a head
/// loss_WAY, right_WAY and kept_loss_WAY; beyond twice the table: far_tokens_WAY and far_kept_WAY. No part is kept
/// where the table and noise do not differ by kLeastApart, or, of losses, by kLeastLossApart. Intervals by bootstrap
/// over windows, all tables' scores of a window together.
/// @pre kLeastResampled windows count, and with a head as many have a masked word
void add_window_numbers(const WindowsMeasured& measured, const WindowNumbersChoice& choice, const Draws& draws,
                        Numbers& numbers);

}  // namespace summand::lab
