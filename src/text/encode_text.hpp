#pragma once

#include "summand/text.hpp"
#include "text/tokenizer.hpp"

namespace summand::text {

/// Encodes what a text is: one text, two, or words.
/// @throws TextError as Tokenizer::encode
[[nodiscard]] Encoding encode(const Tokenizer& tokenizer, const TextView& text, const EncodeOptions& options);

/// The same, reusing the memory of the workspace and the encoding.
void encode_into(const Tokenizer& tokenizer, const TextView& text, const EncodeOptions& options,
                 Tokenizer::Workspace& workspace, Encoding& encoding);

/// Encodes it without truncation: as windows if it is too long.
/// @throws TextError as Tokenizer::divide
[[nodiscard]] DividedText divide(const Tokenizer& tokenizer, const TextView& text, const WindowLimits& limits);

/// Adds a sequence's tokens, unknown words and whether it was cut; does not count the text.
void add_to(ReadCount& count, const Encoding& encoding, const Tokenizer& tokenizer);

}  // namespace summand::text
