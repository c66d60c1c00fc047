#pragma once

#include "api/base_names.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

/// Calls `write`, which writes a directory whole or not at all and calls api::check_interruption().
/// @return its result
template <class Write>
auto written_whole(const Write& write) {
  api::notice_interruptions();
  try {
    return write();
  } catch (const api::Interrupted&) {
    terminal::print_to_stderr("interrupted; nothing was written");
    throw;
  }
}

}  // namespace summand::cli
