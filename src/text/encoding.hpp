#pragma once

#include "summand/tokens.hpp"

namespace summand::text {

using summand::Encoding;
using summand::Range;

}  // namespace summand::text
