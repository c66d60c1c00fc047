#pragma once

#include "base/error.hpp"

namespace summand::train {

/// The run cannot continue: its loss is not finite. Saved checkpoints stay.
class TrainingError : public Error {
 public:
  using Error::Error;
};

}  // namespace summand::train
