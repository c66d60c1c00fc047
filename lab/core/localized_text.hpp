#pragma once

#include <string>

namespace summand::lab {

/// A text in the report's two languages.
struct LocalizedText {
  std::string en;
  std::string zh;

  bool operator==(const LocalizedText&) const = default;
};

enum class Language { en, zh };

/// The text in one of them.
[[nodiscard]] inline const std::string& in(Language language, const LocalizedText& words) {
  return language == Language::zh ? words.zh : words.en;
}

}  // namespace summand::lab
