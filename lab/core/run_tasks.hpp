#pragma once

#include <cstddef>
#include <functional>

#include "lab/core/experiment.hpp"

namespace summand::lab {

/// What conditions.threads stands for.
[[nodiscard]] int thread_count(const Conditions& conditions);

/// Runs tasks 0 … count − 1 on the shared pool, as many at a time as the conditions allow.
void run_tasks(const Conditions& conditions, size_t count, const std::function<void(size_t)>& task);

}  // namespace summand::lab
