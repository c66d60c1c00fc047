#pragma once

#include <optional>
#include <string>

#include "api/batches/window_combiner.hpp"

namespace CLI {
class App;
}

namespace summand::cli {

/// --windows and --overlap: divide long texts instead of cutting them.
struct WindowFlags {
  std::string windows;
  size_t overlap = 0;
};

/// For verbs that make sentence vectors. Call it after add_length(): --windows excludes --truncation.
void add_windows(CLI::App& verb, WindowFlags& flags);

/// For verbs that label texts, which read them as training did unless these flags and those of add_length() say
/// otherwise.
void add_head_windows(CLI::App& verb, WindowFlags& flags);

/// Nothing if texts are cut.
[[nodiscard]] std::optional<api::WindowOptions> window_options(const WindowFlags& flags);

/// Reports how many texts took more than one window, and the number of windows.
void report_windows(const api::WindowCount& count, size_t texts);

}  // namespace summand::cli
