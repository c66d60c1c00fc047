#include "text/field_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace summand::text {

namespace {

/// In small letters; without what words are joined with.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

bool looks_like(std::string_view name, std::string_view known, bool known_is_there) {
  const std::string letters = letters_of(name);
  if (known == "id") return letters == known && name.size() == known.size();
  const std::string known_letters = letters_of(known);
  return letters == known_letters || (!known_is_there && edit_distance(letters, known_letters) == 1);
}

bool is_named(std::string_view name, const InputFields& fields) {
  return name == fields.text || name == fields.text_pair || name == fields.id || name == fields.label;
}

bool is_replaced(std::string_view known, const InputFields& fields) {
  if (known == "text" || known == "tokens") return fields.text.has_value();
  return known == "text_pair" ? fields.text_pair.has_value() : fields.id.has_value();
}

}  // namespace

void refuse_misspellings(std::span<const std::string> present, std::span<const std::string_view> known,
                         const InputFields& fields, std::string_view where) {
  for (const std::string& name : present) {
    if (std::ranges::find(known, name) != known.end() || is_named(name, fields)) continue;
    for (const std::string_view expected : known) {
      const bool is_there = std::ranges::find(present, expected) != present.end();
      if (is_replaced(expected, fields) || !looks_like(name, expected, is_there)) continue;
      throw TextError(where, fmt::format("expected '{}' by this name, got '{}'", expected, printable(name)));
    }
  }
}

}  // namespace summand::text
