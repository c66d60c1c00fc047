#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/finetune/judging/evaluation.hpp"

namespace summand::train {

constexpr size_t kMostText = 300;  ///< bytes of a text that is shown

/// To six digits.
[[nodiscard]] double rounded(double value);

/// A row's line of predictions.jsonl; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string prediction_line(const nlohmann::ordered_json& json);

/// Keeps the worst mistakes, the worst first.
void keep_worst(std::vector<Mistake>& mistakes);

}  // namespace summand::train
