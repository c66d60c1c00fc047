#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace summand::terminal {

/// Writes a line to standard error, after "summand: ". Write errors are ignored.
template <class... Arguments>
void print_to_stderr(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::fputs(("summand: " + fmt::format(text, std::forward<Arguments>(arguments)...) + "\n").c_str(), stderr);
}

}  // namespace summand::terminal
