#pragma once

#include <cstddef>
#include <functional>

namespace summand {

/// Progress of a long run.
struct Progress {
  size_t texts = 0;   ///< finished
  size_t tokens = 0;  ///< of finished texts, and of finished windows of others
};

/// Called after every text, on the thread that finished it, possibly by several threads at once. An exception from it
/// ends the run and propagates.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace summand
