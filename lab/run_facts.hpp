#pragma once

#include <span>
#include <string>

#include "lab/laboratory.hpp"
#include "lab/report/report.hpp"
#include "lab/subject.hpp"

namespace summand::lab {

/// What the report says of the run itself.
/// @param command  that redoes it
[[nodiscard]] RunFacts facts_of(const Subject& subject, const LaboratoryOptions& options, const std::string& command);

/// Words as a shell takes them: those with anything but plain characters in quotes.
[[nodiscard]] std::string command_text(std::span<const std::string> words);

}  // namespace summand::lab
