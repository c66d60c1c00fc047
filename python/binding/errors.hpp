#pragma once

#include <string_view>

#include "python/binding/python.hpp"

namespace summand::python {

/// Raises the classes of summand/errors.py for summand's errors.
void bind_errors(nb::module_& module);

/// Raises TypeError, "[where] expected …, got …".
[[noreturn]] void raise_type_error(std::string_view where, std::string_view expected, nb::handle got);

/// Ends a call whose model has been closed. @throws UsageError
[[noreturn]] void refuse_closed();

}  // namespace summand::python
