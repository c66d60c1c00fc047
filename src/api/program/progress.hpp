#pragma once

#include "base/progress.hpp"

namespace summand::api {

using summand::Progress;
using summand::ProgressCallback;

}  // namespace summand::api
