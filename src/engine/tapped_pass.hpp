#pragma once

#include "engine/group_pass.hpp"
#include "engine/network.hpp"
#include "engine/run.hpp"
#include "model/batch.hpp"

namespace summand::engine {

/// Computes a batch text by text on the calling thread, showing request.taps every point it wants; what the taps leave
/// there is what the model goes on with. Scores and attention are made in full, one head at a time.
/// @return its rows, and a panel for each text that has tokens
PassCount run_tapped(const Network& network, const model::Batch& batch, const RunRequest& request);

}  // namespace summand::engine
