#pragma once

#include <optional>
#include <string>

#include "api/batches/window_combiner.hpp"

namespace CLI {
class App;
}

namespace summand::cli {

/// --windows and --overlap: what a verb does with long texts instead of cutting them.
struct WindowFlags {
  std::string windows;
  size_t overlap = 0;
};

/// After add_length(): --windows excludes --truncation.
void add_windows(CLI::App& verb, WindowFlags& flags);

/// Nothing where texts are cut.
[[nodiscard]] std::optional<api::WindowOptions> window_options(const WindowFlags& flags);

/// Says on standard error how many texts took more than one window, be it none, and how many windows there were.
void report_windows(const api::WindowCount& count, size_t texts);

}  // namespace summand::cli
