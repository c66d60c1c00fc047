#include "text/field_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

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

/// Whether one letter put in, left out or replaced, or two neighbours exchanged, makes one of the other.
bool is_one_edit_away(std::string_view one, std::string_view other) {
  if (one.size() < other.size()) std::swap(one, other);
  if (one.size() > other.size() + 1) return false;
  const auto [a, b] = std::ranges::mismatch(one, other);
  const std::string_view rest(a, one.end());
  const std::string_view other_rest(b, other.end());
  if (rest.empty()) return false;
  if (rest.size() > other_rest.size()) return rest.substr(1) == other_rest;
  const bool exchanged = rest.size() > 1 && rest[0] == other_rest[1] && rest[1] == other_rest[0];
  return rest.substr(1) == other_rest.substr(1) || (exchanged && rest.substr(2) == other_rest.substr(2));
}

bool looks_like(std::string_view name, std::string_view known, bool known_is_there) {
  const std::string letters = letters_of(name);
  if (known == "id") return letters == known && name.size() == known.size();
  const std::string known_letters = letters_of(known);
  return letters == known_letters || (!known_is_there && is_one_edit_away(letters, known_letters));
}

bool is_named(std::string_view name, const InputFields& fields) {
  return name == fields.text || name == fields.text_pair || name == fields.id;
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
