#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace summand::terminal {

/// A line on standard error: "summand: " and what there is to say. Where nobody can be told, the work goes on.
template <class... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::fputs(("summand: " + fmt::format(text, std::forward<Arguments>(arguments)...) + "\n").c_str(), stderr);
}

}  // namespace summand::terminal
