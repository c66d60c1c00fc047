#include "python/binding/encodings.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "python/binding/characters.hpp"

namespace summand::python {

namespace {

/// What Python sees of an Encoding.
struct PythonEncoding {
  std::vector<int32_t> ids = {};
  std::vector<int32_t> type_ids = {};
  std::vector<std::string> tokens = {};
  std::vector<std::pair<size_t, size_t>> offsets = {};
  std::vector<std::optional<int32_t>> word_ids = {};
  std::vector<uint8_t> special_tokens_mask = {};
  size_t cut = 0;
};

/// Characters of each part of a text: of its words joined by a space, if it is given as words.
std::vector<Characters> characters_of(const TextView& text) {
  if (text.words) return {Characters(joined_words(*text.words))};
  std::vector<Characters> parts{Characters(text.text)};
  if (text.text_pair) parts.emplace_back(*text.text_pair);
  return parts;
}

PythonEncoding to_python(const Encoding& encoding, const TextView& text,
                         const std::function<std::string_view(int32_t)>& token) {
  const std::vector<Characters> parts = characters_of(text);
  PythonEncoding made{
      .ids = encoding.ids, .type_ids = encoding.segments, .special_tokens_mask = encoding.special, .cut = encoding.cut};
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    made.tokens.emplace_back(token(encoding.ids[i]));
    const bool is_special = encoding.special[i] != 0;
    const size_t part = is_special ? 0 : std::min(static_cast<size_t>(encoding.segments[i]), parts.size() - 1);
    const Range bytes = encoding.offsets[i];
    made.offsets.emplace_back(parts[part].before(bytes.begin), parts[part].before(bytes.end));
    made.word_ids.push_back(encoding.words[i] < 0 ? std::nullopt : std::optional(encoding.words[i]));
  }
  return made;
}

}  // namespace

void bind_encoding(nb::module_& module) {
  using E = PythonEncoding;
  nb::class_<E>(module, "Encoding", "A tokenised text; every list has one element per token. Named as in `tokenizers`.")
      .def_ro("ids", &E::ids, "Rows of the token table.")
      .def_ro("type_ids", &E::type_ids, "Segments: 0 for the first text, 1 for the second.")
      .def_ro("tokens", &E::tokens, "As the vocabulary writes them.")
      .def_prop_ro(
          "offsets",
          [](const E& self) {
            nb::list list;
            for (const auto& [begin, end] : self.offsets) list.append(nb::make_tuple(begin, end));
            return list;
          },
          "(begin, end) in characters of the text; (0, 0) for added special tokens.")
      .def_ro("word_ids", &E::word_ids, "Number of the word in its text; None for added special tokens.")
      .def_ro("special_tokens_mask", &E::special_tokens_mask, "1 for added special tokens.")
      .def_prop_ro(
          "attention_mask", [](const E& self) { return std::vector<int>(self.ids.size(), 1); },
          "Ones: summand does not pad.")
      .def_ro("cut", &E::cut, "Tokens that truncation removed.")
      .def("__len__", [](const E& self) { return self.ids.size(); })
      .def("__repr__", [](const E& self) { return "Encoding(num_tokens=" + std::to_string(self.ids.size()) + ")"; });
}

TokenizeOptions tokenize_options(bool special_tokens, const Name& truncation, std::optional<size_t> max_length) {
  TokenizeOptions options{.special_tokens = special_tokens ? SpecialTokens::add : SpecialTokens::omit};
  const LengthOptions length = length_options(truncation, max_length);
  options.truncation = length.truncation;
  options.max_length = length.max_length;
  return options;
}

nb::list to_list(const std::vector<Encoding>& encodings, std::span<const TextView> texts,
                 const std::function<std::string_view(int32_t)>& token) {
  nb::list list;
  for (size_t i = 0; i < encodings.size(); ++i) list.append(nb::cast(to_python(encodings[i], texts[i], token)));
  return list;
}

}  // namespace summand::python
