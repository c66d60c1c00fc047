#pragma once

#include "base/error.hpp"

namespace summand::api {

using summand::CheckpointError;
using summand::ConfigError;
using summand::Error;
using summand::IoError;
using summand::printable;
using summand::TextError;
using summand::UsageError;

}  // namespace summand::api
