#pragma once

#include <span>
#include <string>

#include "lab/results/run_facts.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// What the report says of the run itself.
/// @param command  that redoes it
[[nodiscard]] RunFacts facts_of(const Subject& subject, const LaboratoryOptions& options, const std::string& command);

/// Words as a shell takes them: those with anything but plain characters in quotes.
[[nodiscard]] std::string command_text(std::span<const std::string> words);

}  // namespace summand::lab
