#pragma once

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/nearest_name.hpp"
#include "base/platform.hpp"
#include "base/progress.hpp"

/// Names of base for the programs, which may include api and not base.
namespace summand::api {

using summand::CheckpointError;
using summand::ConfigError;
using summand::Error;
using summand::IoError;
using summand::printable;
using summand::TextError;
using summand::UsageError;

using summand::check_interruption;
using summand::end_when_interrupted;
using summand::Interrupted;
using summand::notice_interruptions;

using summand::did_you_mean;
using summand::nearest_name;
using summand::program_path;
using summand::Progress;
using summand::ProgressCallback;

}  // namespace summand::api
