#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

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

/// The same without new memory, once the workspace and the encoding have grown to their texts.
void encode_into(const text::Tokenizer& tokenizer, const TextView& text, const text::EncodeOptions& options,
                 text::Tokenizer::Workspace& workspace, text::Encoding& encoding);

/// Goes through texts on several threads, where they are long enough in all to be worth it.
/// @param threads  at most this many, the caller among them; 0: as many as available_threads() says
/// @param task  is given a text's place and the workspace of the thread that it runs on
/// @throws what `task` throws of the first text of which it does; it has run for all texts before that one
void for_each_text(std::span<const TextView> texts, int threads,
                   const std::function<void(size_t text, text::Tokenizer::Workspace& workspace)>& task);

/// encode() of each text.
/// @throws TextError as encode(), of the first text that cannot be encoded
[[nodiscard]] std::vector<text::Encoding> encode_all(const text::Tokenizer& tokenizer, std::span<const TextView> texts,
                                                     const text::EncodeOptions& options, int threads);

/// Counts a sequence's tokens, those that are unknown words, and whether it was cut; not the text itself.
void add_to(ReadCount& count, const text::Encoding& encoding, const text::Tokenizer& tokenizer);

/// A record with nothing cut: as windows where it is too long.
/// @throws TextError as Tokenizer::divide
[[nodiscard]] text::DividedText divide(const text::Tokenizer& tokenizer, const TextView& text,
                                       const text::WindowLimits& limits);

}  // namespace summand::api
