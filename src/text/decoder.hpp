#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace summand::text {

/// How to join tokens into a text.
struct DecoderSettings {
  std::string prefix = "##";
  bool cleanup = true;  ///< no space before punctuation and English contractions
  [[nodiscard]] bool operator==(const DecoderSettings&) const = default;
};

/// Removes spaces before punctuation and English contractions in the whole text.
void clean_up_spaces(std::string& text);

/// The tokens as one text; joined by spaces without settings.
[[nodiscard]] std::string decode_tokens(const std::vector<std::string_view>& tokens,
                                        const std::optional<DecoderSettings>& settings);

}  // namespace summand::text
