#include "train/finetune/judging/shown_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace summand::train {

double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

std::string prediction_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void keep_worst(std::vector<Mistake>& mistakes) {
  constexpr size_t kMost = 20;
  std::ranges::stable_sort(mistakes, std::greater(), &Mistake::severity);
  if (mistakes.size() > kMost) mistakes.resize(kMost);
}

}  // namespace summand::train
