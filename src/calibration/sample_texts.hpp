#pragma once

#include <string>
#include <vector>

namespace summand::calibration {

/// Texts for whoever has none of the kind that a model will see: English, and some Chinese, single sentences and, so
/// that later positions are reached as well, paragraphs of fifteen. They were written for summand.
[[nodiscard]] std::vector<std::string> sample_texts();

}  // namespace summand::calibration
