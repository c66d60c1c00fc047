#include "python/binding/model.hpp"

#include <string>

#include "model/heads.hpp"
#include "python/binding/calls.hpp"
#include "python/binding/encodings.hpp"
#include "python/binding/errors.hpp"
#include "python/binding/options.hpp"
#include "python/binding/texts.hpp"

namespace summand::python {

namespace {

SharedModel load(const std::filesystem::path& path, const Name& precision, int threads,
                 std::optional<std::filesystem::path> cache) {
  const InsideCall call;
  LoadOptions options{.threads = threads, .cache = std::move(cache)};
  if (precision) options.precision = api::precision_named(*precision);
  return SharedModel(without_gil([&] { return Model::load(path, options); }));
}

/// None, or the keywords that read texts so: {"max_length": 128, "windows": "mean", "overlap": 16}.
nb::object keywords_of(const std::optional<Reading>& reading) {
  if (!reading) return nb::none();
  nb::dict dict;
  dict["max_length"] = reading->length.max_length.value();
  if (reading->windows) {
    dict["windows"] = api::name_of(reading->windows->pooling);
    dict["overlap"] = reading->windows->overlap;
  } else {
    dict["truncation"] = api::name_of(reading->length.truncation.value());
  }
  return dict;
}

nb::dict info_of(const SharedModel& self) {
  const auto model = self.get();
  const ModelInfo& info = model->info();
  nb::list heads;
  for (const Head head : info.heads) heads.append(model::name_of(head));
  nb::dict prompts;
  for (const auto& [name, prompt] : info.prompts) prompts[nb::str(name.c_str(), name.size())] = prompt;
  nb::dict dict;
  dict["directory"] = info.directory.string();
  dict["layers"] = info.layers;
  dict["hidden_size"] = info.hidden_size;
  dict["attention_heads"] = info.attention_heads;
  dict["intermediate_size"] = info.intermediate_size;
  dict["vocabulary_size"] = info.vocabulary_size;
  dict["segments"] = info.segments;
  dict["position_limit"] = info.position_limit;
  dict["sentence_limit"] = info.sentence_limit;
  dict["heads"] = heads;
  dict["labels"] = info.labels;
  dict["reading"] = keywords_of(info.reading);
  dict["most_windows"] = info.most_windows;
  dict["precision"] = api::name_of(info.precision);
  dict["attention_precision"] = api::name_of(info.attention_precision);
  dict["has_pooler"] = info.has_pooler;
  dict["has_sentence_modules"] = info.has_sentence_modules;
  dict["sentence_width"] = info.sentence_width;
  dict["prompts"] = prompts;
  dict["default_prompt_name"] = info.default_prompt_name;
  dict["similarity"] = api::name_of(info.similarity);
  dict["notices"] = std::vector<std::string>(model->notices().begin(), model->notices().end());
  return dict;
}

nb::list tokenize(const SharedModel& self, nb::handle texts, TextKind kind, const TokenizeOptions& options) {
  const auto model = self.get();
  const Texts given(texts, "texts", kind);
  return tokenized(
      given.views(), [&](const TextList& part) { return model->tokenize_all(part, options); },
      [&](int32_t id) { return model->token(id); });
}

}  // namespace

OpenModel SharedModel::get() const {
  if (model_ == nullptr) refuse_closed();
  return OpenModel(model_);
}

ModelClass bind_model(nb::module_& module) {
  ModelClass model(module, "Model", "A loaded checkpoint. summand.Model is what programs use.");
  module.def("load", load, nb::arg("path"), nb::kw_only(), nb::arg("precision").none() = nb::none(),
             nb::arg("threads") = 0, nb::arg("cache").none() = nb::none());
  model.def("close", &SharedModel::close);
  model.def_prop_ro("is_closed", &SharedModel::is_closed);
  model.def("info", info_of);
  model.def("release_memory", [](const SharedModel& self) { self.get()->release_memory(); });
  model.def(
      "tokenize",
      [](const SharedModel& self, nb::handle texts, bool words, bool special_tokens, const Name& truncation,
         std::optional<size_t> max_length) {
        return tokenize(self, texts, words ? TextKind::words : TextKind::text_or_pair,
                        tokenize_options(special_tokens, truncation, max_length));
      },
      nb::arg("texts"), nb::kw_only(), nb::arg("words") = false, nb::arg("special_tokens") = true,
      nb::arg("truncation").none() = nb::none(), nb::arg("max_length").none() = nb::none());
  model.def(
      "decode",
      [](const SharedModel& self, const std::vector<int32_t>& ids, bool skip_special_tokens) {
        return self.get()->decode(ids, skip_special_tokens ? SpecialTokens::omit : SpecialTokens::add);
      },
      nb::arg("ids"), nb::arg("skip_special_tokens") = true);
  model.def("token_id", [](const SharedModel& self, std::string_view token) { return self.get()->token_id(token); });
  model.def("token", [](const SharedModel& self, int32_t id) { return std::string(self.get()->token(id)); });
  return model;
}

}  // namespace summand::python
