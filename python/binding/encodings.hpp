#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "python/binding/options.hpp"
#include "python/binding/python.hpp"
#include "summand/text.hpp"
#include "summand/tokens.hpp"

namespace summand::python {

/// An encoding as `tokenizers` names its parts; offsets count characters of the text.
void bind_encoding(nb::module_& module);

[[nodiscard]] TokenizeOptions tokenize_options(bool special_tokens, const Name& truncation,
                                               std::optional<size_t> max_length);

/// Appends what Python sees of each.
/// @param texts  what was encoded
/// @param token  of an id, as the vocabulary writes it
void append_to(nb::list& list, const std::vector<Encoding>& encodings, std::span<const TextView> texts,
               const std::function<std::string_view(int32_t)>& token);

/// What Python sees of texts that are only tokenized, part after part. @param tokenize  of a part
[[nodiscard]] nb::list tokenized(std::span<const TextView> texts,
                                 const std::function<std::vector<Encoding>(const TextList&)>& tokenize,
                                 const std::function<std::string_view(int32_t)>& token);

}  // namespace summand::python
