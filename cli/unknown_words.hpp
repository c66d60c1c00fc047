#pragma once

#include "api/batches/record_batches.hpp"

namespace summand::cli {

/// Reports how many of an input's tokens are unknown words, if more than a fifth: the model then cannot read the text.
void report_unknown(const api::ReadCount& count);

}  // namespace summand::cli
