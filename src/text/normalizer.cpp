#include "text/normalizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::text {

namespace {

struct Character {
  char32_t code_point;
  SourceRange source;
};

using Characters = std::vector<Character>;

Characters decode(std::string_view text, uint32_t origin) {
  Characters characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const DecodedCharacter decoded = decode_valid_utf8(text.data() + at);
    const auto begin = origin + static_cast<uint32_t>(at);
    characters.push_back({decoded.code_point, {begin, begin + decoded.bytes}});
    at += decoded.bytes;
  }
  return characters;
}

void clean(Characters& characters) {
  std::erase_if(characters, [](const Character& c) { return unicode_flags(c.code_point) & kRemoved; });
  for (Character& c : characters) {
    if (unicode_flags(c.code_point) & kBlank) c.code_point = ' ';
  }
}

Characters space_ideographs(const Characters& characters) {
  Characters spaced;
  spaced.reserve(characters.size());
  for (const Character& c : characters) {
    const bool ideograph = unicode_flags(c.code_point) & kIdeograph;
    if (ideograph) spaced.push_back({' ', c.source});
    spaced.push_back(c);
    if (ideograph) spaced.push_back({' ', c.source});
  }
  return spaced;
}

Characters decompose(const Characters& characters) {
  std::vector<DecomposedCharacter> decomposed;
  std::vector<SourceRange> sources;
  for (const Character& c : characters) {
    bool first = true;
    for (const char32_t part : decomposition(c.code_point)) {
      decomposed.push_back({part, combining_order(part), first, c.source});
      first = false;
    }
    sources.push_back(c.source);
  }
  order_canonically(decomposed, sources);
  Characters ordered;
  ordered.reserve(decomposed.size());
  for (const DecomposedCharacter& c : decomposed) ordered.push_back({c.code_point, c.source});
  return ordered;
}

void drop(Characters& characters, UnicodeFlag kind) {
  std::erase_if(characters, [kind](const Character& c) { return unicode_flags(c.code_point) & kind; });
}

Characters lower(const Characters& characters) {
  Characters lowered;
  lowered.reserve(characters.size());
  for (const Character& c : characters) {
    for (const char32_t part : lower_case(c.code_point)) lowered.push_back({part, c.source});
  }
  return lowered;
}

void apply(NormalizerStep step, Characters& characters) {
  switch (step) {
    case NormalizerStep::none:
      return;
    case NormalizerStep::clean_text:
      return clean(characters);
    case NormalizerStep::space_ideographs:
      characters = space_ideographs(characters);
      return;
    case NormalizerStep::decompose:
      characters = decompose(characters);
      return;
    case NormalizerStep::strip_nonspacing:
      return drop(characters, kNonspacing);
    case NormalizerStep::strip_marks:
      return drop(characters, kMark);
    case NormalizerStep::lowercase:
      characters = lower(characters);
      return;
  }
}

}  // namespace

void NormalizerSettings::add_lowercase() {
  if (is_bert()) {
    lowercase = true;
    return;
  }
  if (std::ranges::find(steps, NormalizerStep::lowercase) != steps.end()) return;
  if (steps.back() != NormalizerStep::none) {
    throw ConfigError("normalizer", fmt::format("expected at most {} normalisers, got more", kMostSteps));
  }
  std::ranges::rotate(steps, steps.end() - 1);
  steps.front() = NormalizerStep::lowercase;
}

std::vector<NormalizerStep> NormalizerSettings::in_order() const {
  std::vector<NormalizerStep> order;
  if (!is_bert()) {
    std::ranges::copy_if(steps, std::back_inserter(order), [](auto step) { return step != NormalizerStep::none; });
    return order;
  }
  if (clean_text) order.push_back(NormalizerStep::clean_text);
  if (handle_chinese_chars) order.push_back(NormalizerStep::space_ideographs);
  if (strip_accents) order.insert(order.end(), {NormalizerStep::decompose, NormalizerStep::strip_nonspacing});
  if (lowercase) order.push_back(NormalizerStep::lowercase);
  return order;
}

void NormalizedText::append(char32_t code_point, SourceRange range) {
  append_utf8(text, code_point);
  source.resize(text.size(), range);
}

void order_canonically(std::vector<DecomposedCharacter>& characters, const std::vector<SourceRange>& sources) {
  for (auto run = characters.begin(); run != characters.end();) {
    const auto end = std::find_if(run + 1, characters.end(), [](const auto& c) { return c.order == 0; });
    const auto marks = run->order == 0 ? run + 1 : run;
    std::stable_sort(marks, end, [](const auto& a, const auto& b) { return a.order < b.order; });
    run = end;
  }
  size_t next = 0;
  SourceRange current;
  for (DecomposedCharacter& c : characters) {
    if (c.first) current = sources[next++];
    c.source = current;
  }
}

void refuse_long_text(std::string_view text) {
  if (text.size() <= std::numeric_limits<uint32_t>::max() / 3) return;
  throw TextError("tokenizer", "expected a text of less than 1.4 GB, got a longer one");
}

NormalizedText normalize(std::string_view text, const NormalizerSettings& settings, uint32_t origin) {
  Characters characters = decode(text, origin);
  for (const NormalizerStep step : settings.in_order()) apply(step, characters);
  NormalizedText normalized;
  normalized.text.reserve(text.size());
  normalized.source.reserve(text.size());
  for (const Character& c : characters) normalized.append(c.code_point, c.source);
  return normalized;
}

}  // namespace summand::text
