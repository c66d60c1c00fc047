#pragma once

#include <span>

#include "lab/explorer/exploration.hpp"
#include "lab/subject/subject.hpp"
#include "text/input_reader.hpp"

namespace summand::lab {

/// Takes sentences apart for the report's explorer, token by token: those given and some of the corpus.
/// @throws TextError, UsageError, as chosen_sentences()
[[nodiscard]] Exploration explore(const Subject& subject, std::span<const text::InputRecord> given, int threads);

}  // namespace summand::lab
