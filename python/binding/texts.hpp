#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "python/binding/arrow_strings.hpp"
#include "python/binding/python.hpp"
#include "summand/text.hpp"

namespace summand::python {

/// What each element of a list of texts may be.
enum class TextKind {
  text,          ///< a str
  text_or_pair,  ///< a str, or two of them
  pair,          ///< two str
  words,         ///< a sequence of str
};

/// The UTF-8 of a str, which Python keeps as long as the str. @throws TextError if it has a surrogate
[[nodiscard]] std::string_view utf8_of(nb::handle text, std::string_view where);

/// The texts that a Python caller gave, without copies: views of str objects, or of an Arrow column. Holds what they
/// belong to, so that they stay while the GIL is released and the caller's list changes. Made and destroyed with the
/// GIL.
class Texts {
 public:
  /// @param given     a sequence or an iterable, or an object with __arrow_c_stream__, whose column has strings
  /// @param argument  its name, for messages
  /// @throws TypeError (Python's) or TextError naming the element
  Texts(nb::handle given, std::string_view argument, TextKind kind);

  [[nodiscard]] std::span<const TextView> views() const { return views_; }
  [[nodiscard]] size_t size() const { return views_.size(); }

 private:
  void add(nb::handle element, TextKind kind, const std::string& where);
  [[nodiscard]] std::string_view keep(nb::handle text, const std::string& where);

  std::vector<nb::object> held_;
  std::unique_ptr<ArrowStrings> column_;
  std::deque<std::vector<std::string>> words_;
  std::vector<TextView> views_;
};

}  // namespace summand::python
