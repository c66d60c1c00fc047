#pragma once

#include <span>
#include <string>
#include <string_view>

#include "text/input_record.hpp"

namespace summand::text {

/// Looks for fields that would be passed over although they look meant for one of the reader's own: the same but for
/// case, "-", "_" and blanks (of `id` but for case alone: `_id` is a usual name), or one letter away from a name that
/// is not there itself.
/// @param present  the names that a record or a table has
/// @param known  the reader's own names; not `text` where it is missing, which is an error of its own
/// @param fields  what they name, and the names they replace, count for nothing here
/// @throws TextError naming the first one and what it looks like
void refuse_misspellings(std::span<const std::string> present, std::span<const std::string_view> known,
                         const InputFields& fields, std::string_view where);

}  // namespace summand::text
