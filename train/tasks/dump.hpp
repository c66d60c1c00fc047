#pragma once

#include <cstddef>
#include <string>

#include "train/tasks/task.hpp"

namespace summand::train {

/// The task's tables, evaluation sequences and posteriors as a JSON object: docs/study-tasks.md, "Dump".
[[nodiscard]] std::string dump(const Task& task, size_t sequences);

}  // namespace summand::train
