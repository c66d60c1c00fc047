#include "python/binding/texts.hpp"

#include <fmt/format.h>

#include "python/binding/errors.hpp"
#include "summand/error.hpp"

namespace summand::python {

namespace {

std::string_view expected_of(TextKind kind) {
  switch (kind) {
    case TextKind::text:
      return "str";
    case TextKind::text_or_pair:
      return "str or a pair of str";
    case TextKind::pair:
      return "a pair of str";
    case TextKind::words:
      return "a list of str";
  }
  __builtin_unreachable();
}

/// A list or a tuple: their elements cannot come to nothing while they are looked at.
bool is_sequence(nb::handle element) {
  return nb::isinstance<nb::list>(element) || nb::isinstance<nb::tuple>(element);
}

}  // namespace

std::string_view utf8_of(nb::handle text, std::string_view where) {
  Py_ssize_t size = 0;
  if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) return {bytes, static_cast<size_t>(size)};
  if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) nb::raise_python_error();
  nb::python_error fault;
  const auto at = nb::cast<size_t>(fault.value().attr("start"));
  throw TextError(where, fmt::format("expected text, got a surrogate without its other half at character {}", at));
}

Texts::Texts(nb::handle given, std::string_view argument, TextKind kind) {
  const bool may_be_column = kind == TextKind::text || kind == TextKind::text_or_pair;
  if (may_be_column && ArrowStrings::can_read(given)) {
    column_ = std::make_unique<ArrowStrings>(given, argument);
    views_.assign(column_->strings().begin(), column_->strings().end());
    return;
  }
  if (nb::isinstance<nb::str>(given) || nb::isinstance<nb::bytes>(given)) {
    raise_type_error(argument, fmt::format("a list, each element {}", expected_of(kind)), given);
  }
  PyObject* iterator = PyObject_GetIter(given.ptr());
  if (iterator == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
    PyErr_Clear();
    raise_type_error(argument, fmt::format("a list, each element {}", expected_of(kind)), given);
  }
  const nb::object elements = nb::steal(iterator);
  while (PyObject* next = PyIter_Next(elements.ptr())) {
    const nb::object element = nb::steal(next);
    add(element, kind, fmt::format("{}[{}]", argument, views_.size()));
  }
  if (PyErr_Occurred() != nullptr) nb::raise_python_error();
}

std::string_view Texts::keep(nb::handle text, const std::string& where) {
  const std::string_view bytes = utf8_of(text, where);
  held_.push_back(nb::borrow(text));
  return bytes;
}

void Texts::add(nb::handle element, TextKind kind, const std::string& where) {
  const bool may_be_text = kind == TextKind::text || kind == TextKind::text_or_pair;
  if (may_be_text && nb::isinstance<nb::str>(element)) {
    views_.emplace_back(keep(element, where));
    return;
  }
  if (kind == TextKind::text || !is_sequence(element)) raise_type_error(where, expected_of(kind), element);
  PyObject* const made = PySequence_Tuple(element.ptr());
  if (made == nullptr) nb::raise_python_error();
  const auto parts = nb::steal<nb::tuple>(made);
  if (kind != TextKind::words && parts.size() != 2) {
    throw TextError(where, fmt::format("expected {}, got {} elements", expected_of(kind), parts.size()));
  }
  for (size_t part = 0; part < parts.size(); ++part) {
    if (!nb::isinstance<nb::str>(parts[part])) raise_type_error(fmt::format("{}[{}]", where, part), "str", parts[part]);
  }
  if (kind == TextKind::words) {
    std::vector<std::string>& words = words_.emplace_back();
    for (size_t part = 0; part < parts.size(); ++part) {
      words.emplace_back(utf8_of(parts[part], fmt::format("{}[{}]", where, part)));
    }
    TextView view;
    view.words = std::span<const std::string>(words);
    views_.push_back(view);
    return;
  }
  const std::string_view first = keep(parts[0], where + "[0]"), second = keep(parts[1], where + "[1]");
  views_.emplace_back(first, second);
}

}  // namespace summand::python
