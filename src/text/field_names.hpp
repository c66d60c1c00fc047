#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/input_record.hpp"

namespace summand::text {

/// Looks for ignored fields that look like a misspelling of a known one: the same except for case, "-", "_" and blanks
/// (for `id` only case: `_id` is a common name), or one letter away from a known name that is absent.
/// @param present  the names that a record or a table has
/// @param known  the known names, without `text` if it is missing, which is another error
/// @param fields  the names they set, and the names they replace, are skipped
/// @throws TextError naming the first one and what it looks like
void refuse_misspellings(std::span<const std::string> present, std::span<const std::string_view> known,
                         const InputFields& fields, std::string_view where);

}  // namespace summand::text
