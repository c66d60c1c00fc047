#include "text/character_table.hpp"

#include <optional>
#include <string_view>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::text {

namespace {

// Effect on a character without combining marks nearby.
struct Outcome {
  std::string text;
  uint8_t characters = 0;
  uint8_t blanks = 0;
  uint8_t isolated = 0;
  bool reordered = false;

  void append(char32_t code_point) {
    append_utf8(text, code_point);
    ++characters;
    const uint16_t flags = unicode_flags(code_point);
    if (flags & kWhitespace) {
      ++blanks;
    } else if (flags & kPunctuation) {
      ++isolated;
    }
  }
};

void strip_and_lower(char32_t code_point, const NormalizerSettings& settings, Outcome& outcome) {
  const CodePoints parts = settings.strip_accents ? decomposition(code_point) : CodePoints{{code_point}, 1};
  for (const char32_t part : parts) {
    if (settings.strip_accents && (unicode_flags(part) & kNonspacing)) continue;
    if (settings.strip_accents && combining_order(part) != 0) outcome.reordered = true;
    const CodePoints lowered = settings.lowercase ? lower_case(part) : CodePoints{{part}, 1};
    for (const char32_t final_part : lowered) outcome.append(final_part);
  }
}

Outcome outcome_of(char32_t code_point, const NormalizerSettings& settings) {
  Outcome outcome;
  const uint16_t flags = unicode_flags(code_point);
  if (settings.clean_text && (flags & kRemoved)) return outcome;
  if (settings.clean_text && (flags & kBlank)) {
    outcome.append(' ');
  } else if (settings.handle_chinese_chars && (flags & kIdeograph)) {
    Outcome inner;
    strip_and_lower(code_point, settings, inner);
    if (inner.characters == 1 && inner.blanks == 0) {
      inner.isolated = 1;
      return inner;
    }
    outcome.append(' ');
    strip_and_lower(code_point, settings, outcome);
    outcome.append(' ');
  } else {
    strip_and_lower(code_point, settings, outcome);
  }
  return outcome;
}

// Whether every character of the block stays unchanged, so that blocks of its class can share their entries.
bool keeps_its_characters(uint32_t block) {
  constexpr uint16_t kChanging = kDecomposes | kLowers | kIdeograph | kPunctuation;
  for (uint32_t i = 0; i < kUnicodeBlock; ++i) {
    if (unicode_flags(block * kUnicodeBlock + i) & kChanging) return false;
  }
  return true;
}

}  // namespace

CharacterEntry CharacterTable::entry(char32_t code_point, const WordPiece& word_piece) {
  const Outcome outcome = outcome_of(code_point, settings_);
  CharacterEntry entry;
  entry.bytes = static_cast<uint8_t>(outcome.text.size());
  entry.characters = outcome.characters;
  if (outcome.reordered) {
    entry.kind = CharacterKind::reordered;
  } else if (outcome.characters == 0) {
    entry.kind = CharacterKind::removed;
  } else if (outcome.characters == 1 && outcome.blanks == 1) {
    entry.kind = CharacterKind::blank;
  } else if (outcome.characters == 1 && outcome.isolated == 1) {
    entry.kind = CharacterKind::isolated;
    entry.value = word_piece.single(outcome.text);
  } else {
    entry.kind = outcome.blanks + outcome.isolated == 0 ? CharacterKind::letter : CharacterKind::mixed;
    std::string same;
    append_utf8(same, code_point);
    if (outcome.text != same || entry.kind == CharacterKind::mixed) {
      entry.value = static_cast<int32_t>(pool_.size());
      pool_ += outcome.text;
    } else {
      entry.bytes = 0;
    }
  }
  return entry;
}

CharacterTable::CharacterTable(const NormalizerSettings& settings, const WordPiece& word_piece) : settings_(settings) {
  constexpr uint32_t kBlocks = kCodePoints / kUnicodeBlock;
  std::vector<std::optional<uint32_t>> shared(unicode_block_classes());
  block_of_.reserve(kBlocks);
  for (uint32_t block = 0; block < kBlocks; ++block) {
    std::optional<uint32_t>& known = shared[unicode_block_class(block)];
    if (known) {
      block_of_.push_back(*known);
      continue;
    }
    const auto fresh = static_cast<uint32_t>(entries_.size() / kUnicodeBlock);
    if (keeps_its_characters(block)) known = fresh;
    block_of_.push_back(fresh);
    for (uint32_t i = 0; i < kUnicodeBlock; ++i) entries_.push_back(entry(block * kUnicodeBlock + i, word_piece));
  }
  fill_ascii_letters();
}

void CharacterTable::fill_ascii_letters() {
  for (char32_t byte = 0; byte < 0x80; ++byte) {
    const CharacterEntry& entry = (*this)[byte];
    if (entry.kind != CharacterKind::letter || entry.bytes > 1) continue;
    ascii_letter_[byte] = entry.value == CharacterEntry::kSame ? static_cast<char>(byte) : *pool(entry);
  }
}

}  // namespace summand::text
