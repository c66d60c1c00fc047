#pragma once

#include "api/batches/record_batches.hpp"

namespace summand::cli {

/// Says once on standard error how many of an input's tokens are unknown words, where they are more than a fifth: such
/// results are of a text that the model cannot read.
void report_unknown(const api::ReadCount& count);

}  // namespace summand::cli
