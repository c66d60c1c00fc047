#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "text/encode_text.hpp"
#include "text/input_reader.hpp"
#include "text/tokenizer.hpp"

namespace summand::api {

/// The tokenizer of a checkpoint, without its weights.
/// @param name  a directory or a name, as for io::resolve_model
[[nodiscard]] text::Tokenizer load_tokenizer(std::string_view name);

/// Runs a task for each text, on several threads if the texts are long enough to be worth it.
/// @param threads  at most, the caller included; 0: available_threads()
/// @param task  receives a text's index and its thread's workspace
/// @throws the exception of the first text whose task throws; the task has run for all texts before it
void for_each_text(std::span<const TextView> texts, int threads,
                   const std::function<void(size_t text, text::Tokenizer::Workspace& workspace)>& task);

/// encode() of each text.
/// @throws TextError as encode(), for the first text that cannot be encoded
[[nodiscard]] std::vector<text::Encoding> encode_all(const text::Tokenizer& tokenizer, std::span<const TextView> texts,
                                                     const text::EncodeOptions& options, int threads);

}  // namespace summand::api
