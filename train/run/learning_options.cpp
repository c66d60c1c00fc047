#include "train/run/learning_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

namespace summand::train {

namespace {

constexpr int64_t kMostSteps = 1'000'000'000'000'000;  // at a microsecond each, thirty years

}  // namespace

std::span<const model::EnumName<Schedule>> enum_names(Schedule) {
  static constexpr std::array kNames{model::EnumName{Schedule::linear, "linear"},
                                     model::EnumName{Schedule::cosine, "cosine"},
                                     model::EnumName{Schedule::constant, "constant"}};
  return kNames;
}

double learning_rate_at(const LearningOptions& options, int64_t step) {
  if (step <= options.warmup) {
    return options.learning_rate * static_cast<double>(step) /
           static_cast<double>(std::max<int64_t>(1, options.warmup));
  }
  const double gone = static_cast<double>(step - options.warmup) /
                      static_cast<double>(std::max<int64_t>(1, options.steps + 1 - options.warmup));
  switch (options.schedule) {
    case Schedule::linear:
      return options.learning_rate * (1 - gone);
    case Schedule::cosine:
      return options.learning_rate * (1 + std::cos(std::numbers::pi * gone)) / 2;
    case Schedule::constant:
      return options.learning_rate;
  }
  __builtin_unreachable();
}

std::optional<std::string> warmup_notice(const LearningOptions& options) {
  if (options.warmup < options.steps) return std::nullopt;
  return fmt::format("--warmup {}: the learning rate rises over all {} steps", options.warmup, options.steps);
}

std::string validation_error(const LearningOptions& options) {
  if (options.steps < 1) return fmt::format("--steps: expected at least 1, got {}", options.steps);
  if (options.steps > kMostSteps) {
    return fmt::format("--steps: expected at most {}, got {}", kMostSteps, options.steps);
  }
  if (options.warmup < 0) return fmt::format("--warmup: expected at least 0, got {}", options.warmup);
  if (!(options.learning_rate > 0 && std::isfinite(options.learning_rate))) {
    return fmt::format("--learning-rate: expected a finite number above 0, got {}", options.learning_rate);
  }
  const AdamWOptions& adamw = options.adamw;
  for (const auto& [option, value] : {std::pair{"--beta1", adamw.beta1}, std::pair{"--beta2", adamw.beta2}}) {
    if (!(value >= 0 && value < 1)) return fmt::format("{}: expected at least 0, below 1, got {}", option, value);
  }
  if (!(adamw.epsilon > 0)) return fmt::format("--epsilon: expected more than 0, got {}", adamw.epsilon);
  if (!(adamw.weight_decay >= 0)) return fmt::format("--weight-decay: expected at least 0, got {}", adamw.weight_decay);
  if (!(options.clip > 0)) return fmt::format("--clip: expected more than 0, got {}", options.clip);
  return "";
}

}  // namespace summand::train
