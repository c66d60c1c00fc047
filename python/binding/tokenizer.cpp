#include "python/binding/tokenizer.hpp"

#include "python/binding/calls.hpp"
#include "python/binding/encodings.hpp"
#include "python/binding/texts.hpp"
#include "summand/tokenizer.hpp"

namespace summand::python {

void bind_tokenizer(nb::module_& module) {
  nb::class_<Tokenizer> tokenizer(module, "Tokenizer",
                                  "A WordPiece tokenizer. summand.Tokenizer is what programs use.");
  tokenizer.def_static("load", [](const std::filesystem::path& path) {
    const InsideCall call;
    return without_gil([&] { return Tokenizer::load(path); });
  });
  tokenizer.def_static("from_vocabulary", [](const std::filesystem::path& path, bool lowercase) {
    return Tokenizer::from_vocabulary(path, lowercase ? Lowercase::yes : Lowercase::no);
  });
  tokenizer.def(
      "encode",
      [](const Tokenizer& self, nb::handle texts, bool words, bool special_tokens, const Name& truncation,
         std::optional<size_t> max_length, int threads) {
        const InsideCall call;
        const Texts given(texts, "texts", words ? TextKind::words : TextKind::text_or_pair);
        const TokenizeOptions options = tokenize_options(special_tokens, truncation, max_length);
        return tokenized(
            given.views(), [&](const TextList& part) { return self.encode_all(part, options, threads); },
            [&](int32_t id) { return self.token(id); });
      },
      nb::arg("texts"), nb::kw_only(), nb::arg("words") = false, nb::arg("special_tokens") = true,
      nb::arg("truncation").none() = nb::none(), nb::arg("max_length").none() = nb::none(), nb::arg("threads") = 0);
  tokenizer.def("decode", [](const Tokenizer& self, const std::vector<int32_t>& ids, bool skip_special_tokens) {
    return self.decode(ids, skip_special_tokens ? SpecialTokens::omit : SpecialTokens::add);
  });
  tokenizer.def("token_id", [](const Tokenizer& self, std::string_view token) { return self.token_id(token); });
  tokenizer.def("token", [](const Tokenizer& self, int32_t id) { return std::string(self.token(id)); });
  tokenizer.def_prop_ro("vocabulary_size", [](const Tokenizer& self) { return self.vocabulary_size(); });
  tokenizer.def_prop_ro("notices", [](const Tokenizer& self) {
    return std::vector<std::string>(self.notices().begin(), self.notices().end());
  });
}

}  // namespace summand::python
