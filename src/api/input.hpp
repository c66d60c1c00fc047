#pragma once

#include "text/input_bytes.hpp"
#include "text/input_reader.hpp"

namespace summand::api {

// Inputs for programs, which open them in ways of their own.
using text::check_utf8;
using text::format_of;
using text::InputAdvice;
using text::InputBytes;
using text::InputFields;
using text::InputFormat;
using text::InputReader;
using text::InputRecord;
using text::InputRules;
using text::InvalidUtf8;

}  // namespace summand::api
