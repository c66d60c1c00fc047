#pragma once

#include "python/binding/python.hpp"

namespace summand::python {

/// Search, similarity, number types of vectors.
void bind_vectors(nb::module_& module);

}  // namespace summand::python
