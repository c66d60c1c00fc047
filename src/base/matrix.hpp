#pragma once

#include "summand/matrix.hpp"
