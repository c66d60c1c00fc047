#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/enum_names.hpp"
#include "train/run/adamw.hpp"

namespace summand::train {

/// Schedule of the learning rate after the linear warmup: falls to 0 at the last step, or stays.
enum class Schedule { linear, cosine, constant };
[[nodiscard]] std::span<const model::EnumName<Schedule>> enum_names(Schedule);

/// How parameters change with their gradients, whatever is learned.
struct LearningOptions {
  int64_t steps = 10000;
  double learning_rate = 5e-4;  ///< the largest
  int64_t warmup = 500;         ///< steps
  Schedule schedule = Schedule::linear;
  AdamWOptions adamw = {};
  double clip = 1;  ///< the largest norm of a step's gradient
};

/// The learning rate of a step. @param step  from 1 to the number of steps
[[nodiscard]] double learning_rate_at(const LearningOptions& options, int64_t step);

/// What a warmup of all steps, or of more, means for the run; nothing of a shorter one.
[[nodiscard]] std::optional<std::string> warmup_notice(const LearningOptions& options);

/// Why options are invalid: "--steps: expected …, got …"; empty if they are valid.
[[nodiscard]] std::string validation_error(const LearningOptions& options);

}  // namespace summand::train
