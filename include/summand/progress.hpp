#pragma once

#include <cstddef>
#include <functional>

namespace summand {

/// How far a long run has come.
struct Progress {
  size_t texts = 0;   ///< that are finished
  size_t tokens = 0;  ///< of these texts, and of the finished windows of others
};

/// Told after every text, on the thread that finished it, by several threads at a time. What it throws ends the run and
/// comes out of it.
using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace summand
