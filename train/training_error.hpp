#pragma once

#include "base/error.hpp"

namespace summand::train {

/// A run that cannot go on: its loss is no number. What was saved before stays.
class TrainingError : public Error {
 public:
  using Error::Error;
};

}  // namespace summand::train
