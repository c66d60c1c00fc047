#pragma once

#include "base/platform.hpp"

namespace summand::api {

using summand::program_path;

}  // namespace summand::api
