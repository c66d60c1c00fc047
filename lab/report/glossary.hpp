#pragma once

#include <string>
#include <vector>

#include "lab/core/words.hpp"

namespace summand::lab {

/// A term that the report uses, and what it means here.
struct Term {
  std::string id;  ///< of its anchor: "null"
  Words name;      ///< as it stands in texts, singular and in small letters: the page links it from there
  Words meaning;
};

/// In no order: the page sorts them as its language does.
[[nodiscard]] const std::vector<Term>& glossary();

}  // namespace summand::lab
