#pragma once

#include <cstdint>

#include "train/run/initial_model.hpp"
#include "train/study/study_plan.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

/// An arm's model before the first step. Two arms of a seed have the same numbers in each parameter that both have.
/// @throws ConfigError if the arm's configuration is wrong, or its composition cannot compute the sum where it should
/// start
///   with it
[[nodiscard]] InitialModel arm_model(const StudyPlan& plan, const Arm& arm, const Task& task, bool separator,
                                     uint64_t seed);

}  // namespace summand::train
