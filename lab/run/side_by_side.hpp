#pragma once

#include <cstddef>
#include <functional>

namespace summand::lab {

/// Runs tasks 0 … count-1 in so many lanes, each as soon as one is free, lower numbers first, and returns when all have
/// ended. A lane is a thread of its own, not one of the pool: its tasks may ask the pool for as many as they like, and
/// while one of them has work for one thread alone, the others' have what is free. The first exception is rethrown
/// here; tasks not yet begun are then left out.
/// @param lanes  at least 1, which is the caller itself
void run_side_by_side(size_t count, size_t lanes, const std::function<void(size_t)>& task);

}  // namespace summand::lab
