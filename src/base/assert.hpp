#pragma once

#include "summand/assert.hpp"
