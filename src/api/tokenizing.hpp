#pragma once

#include <string_view>

#include "text/input_reader.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

/// The tokenizer of a checkpoint alone, without its weights, as its own files describe it.
/// @param name  a directory or a name, as io::resolve_model takes it
[[nodiscard]] text::Tokenizer load_tokenizer(std::string_view name);

/// A record of an input file as ids: one text, a pair, or words already split.
/// @throws TextError as Tokenizer::encode
[[nodiscard]] text::Encoding encode(const text::Tokenizer& tokenizer, const TextView& text,
                                    const text::EncodeOptions& options);

/// Counts a sequence's tokens, those that are unknown words, and whether it was cut; not the text itself.
void add_to(ReadCount& count, const text::Encoding& encoding, const text::Tokenizer& tokenizer);

/// A record with nothing cut: as windows where it is too long.
/// @throws TextError as Tokenizer::divide
[[nodiscard]] text::DividedText divide(const text::Tokenizer& tokenizer, const TextView& text,
                                       const text::WindowLimits& limits);

}  // namespace summand::api
