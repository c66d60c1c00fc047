#pragma once

#include "summand/progress.hpp"
