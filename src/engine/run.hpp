#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"
#include "engine/instruction_set.hpp"
#include "model/taps.hpp"

namespace summand::engine {

/// Whether the pooled output is wanted.
enum class Pooled { skip, compute };

/// What a run is to compute, and who takes the results.
struct RunRequest {
  /// Receives a text's results as soon as they are there, on the thread that computed them, several texts at a time on
  /// several threads. Not called for texts without tokens. The views are valid during the call only; the engine and the
  /// thread pool must not be called from inside. What it throws ends the run and comes out of Engine::run.
  /// @param hidden_states  [length, hidden] each, in the order in which they were asked for
  /// @param pooled         [hidden], or empty if it was not asked for or the model has no pooler
  using OnText = std::function<void(size_t text, std::span<const MatrixView<const float>> hidden_states,
                                    std::span<const float> pooled)>;

  /// Which hidden states are wanted: 0 is the encoder's input, l the output of layer l. Layers that nobody needs are
  /// not computed.
  std::vector<size_t> hidden_states = {};
  Pooled pooled = Pooled::skip;
  OnText on_text = {};
  /// With taps, everything runs on the calling thread, text by text; agreement is within tolerance, not in bits.
  model::Taps<float>* taps = nullptr;
};

/// What a run did, counted while it ran.
struct RunReport {
  size_t texts = 0;
  size_t tokens = 0;
  size_t groups = 0;         ///< sets of whole texts that were computed together
  size_t panels = 0;         ///< blocks of rows that passed through the products of a layer together
  size_t rows_computed = 0;  ///< rows that the products of a layer really computed: equal to `tokens`, as nothing is
                             ///< padded
  int threads = 0;           ///< threads that really took part
  InstructionSet instruction_set = InstructionSet::generic;
};

}  // namespace summand::engine
