#pragma once

#include <span>
#include <string>

#include "lab/results/comparison.hpp"

namespace summand::lab {

/// A line per claim: observation / inference / conclusion on every checkpoint, differing ones marked; behind it how
/// many differ, of those measured on two checkpoints or more; and what each checkpoint answers to the two questions
/// that people come with.
[[nodiscard]] std::string comparison_text(std::span<const ComparedRun> runs, Language language);

}  // namespace summand::lab
