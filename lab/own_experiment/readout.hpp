#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/engine.hpp"
#include "lab/core/experiment.hpp"
#include "lab/own_experiment/setup.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::own {

/// What is read of a changed model, text by text, beside the same of the unchanged one.
struct Readout {
  Texts texts;
  size_t items = 0;  ///< texts, or pairs of a retrieval
  /// How far each item's reading moves: 0 where model and texts are unchanged.
  std::function<std::vector<double>(const engine::Engine& engine, const Edit& edit)> effects;
};

/// @throws ConfigError if the model or its corpus lacks what is read
[[nodiscard]] Readout readout_of(const Setup& setup, const Subject& subject, const Conditions& conditions);

/// The same complaints, before anything runs.
void check_readout(const Setup& setup, const Subject& subject);

}  // namespace summand::lab::own
