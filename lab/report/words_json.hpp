#pragma once

#include "lab/words.hpp"

namespace summand::lab {

/// {"en": …, "zh": …}, as the page takes a text.
template <typename Json>
[[nodiscard]] Json both_languages(const Words& words) {
  return {{"en", words.en}, {"zh", words.zh}};
}

}  // namespace summand::lab
