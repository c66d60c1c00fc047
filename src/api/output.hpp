#pragma once

#include "io/output_file.hpp"

namespace summand::api {

using io::OutputFile;

}  // namespace summand::api
