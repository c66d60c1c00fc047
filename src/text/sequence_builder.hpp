#pragma once

#include <vector>

#include "text/encoding.hpp"
#include "text/special_template.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

struct EncodeOptions;

/// Cuts one text or a pair, puts the special tokens around it and replaces `encoding` by the result.
/// @param second  null for one text
/// @throws TextError if it cannot be cut as asked
void build_sequence(const SpecialTemplates& templates, const std::vector<Token>& first,
                    const std::vector<Token>* second, const EncodeOptions& options, Encoding& encoding);

}  // namespace summand::text
