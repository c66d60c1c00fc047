#pragma once

#include "summand/tokens.hpp"

namespace summand::text {

using summand::Encoding;
using summand::Offset;

}  // namespace summand::text
