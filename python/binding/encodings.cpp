#include "python/binding/encodings.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "python/binding/calls.hpp"
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

/// Of each part of a text in which offsets count: the texts of a pair, or the words.
std::vector<Characters> characters_of(const TextView& text) {
  if (text.words) return {text.words->begin(), text.words->end()};
  std::vector<Characters> parts{Characters(text.text)};
  if (text.text_pair) parts.emplace_back(*text.text_pair);
  return parts;
}

size_t part_of(const Encoding& encoding, size_t token, const TextView& text) {
  if (text.words) return static_cast<size_t>(encoding.words[token]);
  return token >= encoding.second.begin && token < encoding.second.end ? 1 : 0;
}

PythonEncoding to_python(const Encoding& encoding, const TextView& text,
                         const std::function<std::string_view(int32_t)>& token) {
  const std::vector<Characters> parts = characters_of(text);
  PythonEncoding made{
      .ids = encoding.ids, .type_ids = encoding.segments, .special_tokens_mask = encoding.special, .cut = encoding.cut};
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    made.tokens.emplace_back(token(encoding.ids[i]));
    const Range bytes = encoding.offsets[i];
    if (encoding.special[i] != 0) {
      made.offsets.emplace_back(bytes.begin, bytes.end);
    } else {
      const Characters& characters = parts[part_of(encoding, i, text)];
      made.offsets.emplace_back(characters.before(bytes.begin), characters.before(bytes.end));
    }
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
          "(begin, end) in characters of the text, or of the word where words were given; (0, 0) for added special "
          "tokens.")
      .def_ro("word_ids", &E::word_ids, "Number of the word in its text; None for added special tokens.")
      .def_ro("special_tokens_mask", &E::special_tokens_mask, "1 for added special tokens.")
      .def_prop_ro(
          "attention_mask", [](const E& self) { return std::vector<int>(self.ids.size(), 1); },
          "Ones: summand does not pad.")
      .def_ro("cut", &E::cut, "Tokens that truncation removed.")
      .def("__getstate__",
           [](const E& self) {
             return nb::make_tuple(self.ids, self.type_ids, self.tokens, self.offsets, self.word_ids,
                                   self.special_tokens_mask, self.cut);
           })
      .def("__setstate__",
           [](E& self,
              const std::tuple<decltype(E::ids), decltype(E::type_ids), decltype(E::tokens), decltype(E::offsets),
                               decltype(E::word_ids), decltype(E::special_tokens_mask), size_t>& state) {
             const auto& [ids, type_ids, tokens, offsets, word_ids, special, cut] = state;
             new (&self) E{ids, type_ids, tokens, offsets, word_ids, special, cut};
           })
      .def("__len__", [](const E& self) { return self.ids.size(); })
      .def("__repr__", [](const E& self) { return "Encoding(num_tokens=" + std::to_string(self.ids.size()) + ")"; });
}

TokenizeOptions tokenize_options(bool special_tokens, const Name& truncation, std::optional<size_t> max_length) {
  TokenizeOptions options{.special_tokens = special_tokens ? SpecialTokens::add : SpecialTokens::omit};
  const LengthOptions length = length_options(truncation, max_length);
  options.truncation = length.truncation.value_or(Truncation::longest_first);
  options.max_length = length.max_length;
  return options;
}

void append_to(nb::list& list, const std::vector<Encoding>& encodings, std::span<const TextView> texts,
               const std::function<std::string_view(int32_t)>& token) {
  for (size_t i = 0; i < encodings.size(); ++i) list.append(nb::cast(to_python(encodings[i], texts[i], token)));
}

nb::list tokenized(std::span<const TextView> texts,
                   const std::function<std::vector<Encoding>(const TextList&)>& tokenize,
                   const std::function<std::string_view(int32_t)>& token) {
  nb::list list;
  const auto take = [&](size_t begin, const std::vector<Encoding>& part) {
    append_to(list, part, texts.subspan(begin), token);
  };
  in_parts(texts, tokenize, take, kBytesTokenized);
  return list;
}

}  // namespace summand::python
