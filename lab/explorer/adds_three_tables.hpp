#pragma once

#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Whether a model is a BERT: what is added is three tables, normalised, and attention knows nothing else. Then sums
/// can be read back, and the first layer's logits fall into terms. False of a table alone.
[[nodiscard]] bool adds_three_tables(const Subject& subject);

}  // namespace summand::lab
