#include "python/binding/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "summand/error.hpp"

namespace summand::python {

namespace {

/// The exception classes, of summand/errors.py; one of Python's own until that is imported. Never freed: a call may
/// raise one at the interpreter's end.
struct Classes {
  PyObject* error = PyExc_RuntimeError;
  PyObject* config = PyExc_ValueError;
  PyObject* checkpoint = PyExc_ValueError;
  PyObject* text = PyExc_ValueError;
  PyObject* io = PyExc_OSError;
  PyObject* usage = PyExc_ValueError;
};
Classes& classes() {
  static Classes all;
  return all;
}

void use_errors(nb::type_object error, nb::type_object config, nb::type_object checkpoint, nb::type_object text,
                nb::type_object io, nb::type_object usage) {
  classes() = {error.release().ptr(), config.release().ptr(), checkpoint.release().ptr(),
               text.release().ptr(),  io.release().ptr(),     usage.release().ptr()};
}

PyObject* class_of(const Error& error) {
  if (dynamic_cast<const ConfigError*>(&error) != nullptr) return classes().config;
  if (dynamic_cast<const CheckpointError*>(&error) != nullptr) return classes().checkpoint;
  if (dynamic_cast<const TextError*>(&error) != nullptr) return classes().text;
  if (dynamic_cast<const IoError*>(&error) != nullptr) return classes().io;
  return classes().error;
}

void raise(const std::exception_ptr& pointer, void* /*unused*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const UsageError& error) {
    // Options have hyphens where arguments have underscores.
    std::string argument(error.where());
    std::ranges::replace(argument, '-', '_');
    PyErr_SetString(classes().usage, fmt::format("[{}] {}", argument, error.message()).c_str());
  } catch (const Error& error) {
    PyErr_SetString(class_of(error), error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  module.def("use_errors", use_errors);
  nb::register_exception_translator(raise);
}

void raise_type_error(std::string_view where, std::string_view expected, nb::handle got) {
  const std::string message =
      fmt::format("[{}] expected {}, got {}", where, expected, nb::type_name(got.type()).c_str());
  PyErr_SetString(PyExc_TypeError, message.c_str());
  nb::raise_python_error();
}

void refuse_closed() {
  throw UsageError("model", "expected an open model, got one that has been closed");
}

}  // namespace summand::python
