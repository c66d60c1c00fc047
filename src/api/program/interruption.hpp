#pragma once

#include "base/interruption.hpp"

namespace summand::api {

using summand::check_interruption;
using summand::end_when_interrupted;
using summand::Interrupted;
using summand::notice_interruptions;

}  // namespace summand::api
