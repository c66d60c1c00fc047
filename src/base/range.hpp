#pragma once

#include "summand/range.hpp"
