#pragma once

#include <cstddef>
#include <optional>

#include "lab/core/localized_text.hpp"

// What is said where an interval would be over fewer items than kLeastResampled: a gap, or a remark.
namespace summand::lab {

/// Nothing where there are enough. @param items  what they are, as texts_from() says it
[[nodiscard]] std::optional<LocalizedText> too_few(size_t count, const LocalizedText& items);

/// The same of numbers that go without an interval.
[[nodiscard]] LocalizedText without_interval(const LocalizedText& why);

/// "texts of 8 tokens or more"
[[nodiscard]] LocalizedText texts_from(size_t tokens);
/// "texts with a word"
[[nodiscard]] LocalizedText texts_with_a_word();

}  // namespace summand::lab
