#pragma once

#include "python/binding/python.hpp"

namespace summand::python {

/// A tokenizer without a model.
void bind_tokenizer(nb::module_& module);

}  // namespace summand::python
