#pragma once

#include "base/nearest_name.hpp"

namespace summand::api {

using summand::did_you_mean;
using summand::nearest_name;

}  // namespace summand::api
