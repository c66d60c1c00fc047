#include "cli/window_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "api/options/option_names.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

namespace {

void add(CLI::App& verb, WindowFlags& flags, const std::vector<std::string>& ways, const std::string& more) {
  auto* windows = verb.add_option("--windows", flags.windows,
                                  "Divide a long text into windows of whole words instead of cutting it, and take the "
                                  "mean or the maximum of the windows' results; of a pair, the second text is divided" +
                                      more);
  windows->check(terminal::one_of(ways))
      ->option_text(fmt::format("{}", fmt::join(ways, "|")))
      ->excludes("--truncation");
  verb.add_option("--overlap", flags.overlap, "With --windows: neighbouring windows share up to N tokens")
      ->check(terminal::whole_number(0))
      ->needs(windows)
      ->option_text("N=0");
}

}  // namespace

void add_windows(CLI::App& verb, WindowFlags& flags) {
  add(verb, flags, {"mean", "max"}, "");
}

void add_head_windows(CLI::App& verb, WindowFlags& flags) {
  add(verb, flags, {"mean", "max", "transformer"},
      "; transformer: of a model that was trained with one, as its training did. Without --windows and --truncation a "
      "text is read as the model's training read its texts, and no longer "
      "than there without --max-length; a line says so");
}

std::optional<api::WindowOptions> window_options(const WindowFlags& flags) {
  if (flags.windows.empty()) return std::nullopt;
  return api::WindowOptions{.pooling = api::window_pooling_named(flags.windows), .overlap = flags.overlap};
}

void report_windows(const api::WindowCount& count, size_t texts) {
  if (count.texts_divided == 0) {
    terminal::print_to_stderr("no text took more than one window");
    return;
  }
  terminal::print_to_stderr("{} of {} {} more than one window, {} {} in all", count.texts_divided, texts,
                            texts == 1 ? "text took" : "texts took", count.windows,
                            count.windows == 1 ? "window" : "windows");
}

}  // namespace summand::cli
