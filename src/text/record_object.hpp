#pragma once

#include <string>
#include <string_view>

#include "text/input_record.hpp"

namespace summand::text {

/// Reads one line of a .jsonl input. Keys that no record has, such as "label", are passed over.
/// @param where  what messages call the line
/// @throws TextError for anything but a JSON object with a text or words; `text` beside `tokens`; a key twice; null or
/// another type under a key that is read; an `id` that is neither a string nor an integer of 64 bits; a key that looks
/// like a misspelling of one that is read
[[nodiscard]] InputRecord read_object(std::string_view line, const InputRules& rules, std::string_view where);

}  // namespace summand::text
