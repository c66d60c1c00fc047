#pragma once

#include <string>
#include <vector>

#include "lab/core/localized_text.hpp"

namespace summand::lab {

/// Where a term is linked from.
enum class Linked {
  in_texts,   ///< from wherever its name stands first on a page
  as_a_label  ///< from the page's own labels alone: its name is a word that texts use otherwise
};

/// A term that the report uses, and what it means here.
struct Term {
  std::string id;      ///< of its anchor: "null"
  LocalizedText name;  ///< as it stands in texts, singular and in small letters: the page links it from there
  LocalizedText meaning;
  Linked linked = Linked::in_texts;
  std::vector<LocalizedText> elsewhere{};  ///< phrases in which its name means something else, and is no link
};

/// In no order: the page sorts them as its language does.
[[nodiscard]] const std::vector<Term>& glossary();

}  // namespace summand::lab
