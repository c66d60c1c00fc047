#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "api/error.hpp"
#include "api/interruption.hpp"
#include "api/names.hpp"
#include "api/output.hpp"
#include "api/tokenizing.hpp"
#include "cli/input.hpp"
#include "cli/one_of.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/print_json.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

struct TokenizeRequest {
  CommonOptions common;
  InputOptions input;
  LengthFlags length;
  std::string model;
  std::string vocabulary;
  std::string lowercase;
  OutputFlags out{.path = "-"};
  bool no_special = false;
  bool decode = false;
};

text::Tokenizer load_tokenizer(const TokenizeRequest& options) {
  if (options.model.empty() == options.vocabulary.empty()) {
    throw api::UsageError("tokenize", "expected either --model or --vocab");
  }
  if (!options.model.empty()) return api::load_tokenizer(options.model);
  if (options.lowercase.empty()) throw api::UsageError("tokenize", "expected --lowercase true or false with --vocab");
  const auto lowercase = options.lowercase == "true" ? text::Lowercase::yes : text::Lowercase::no;
  return text::Tokenizer::from_vocabulary(options.vocabulary, lowercase);
}

std::string line_of(const TokenizeRequest& options, const text::Tokenizer& tokenizer, const text::InputRecord& record,
                    const text::Encoding& encoding) {
  auto json = with_id(record.id, {{"ids", encoding.ids}, {"segments", encoding.segments}});
  json["tokens"] = nlohmann::ordered_json::array();
  for (const auto id : encoding.ids) json["tokens"].push_back(tokenizer.token(id));
  json["offsets"] = nlohmann::ordered_json::array();
  for (const auto& offset : encoding.offsets) json["offsets"].push_back({offset.begin, offset.end});
  if (options.decode) json["decoded"] = tokenizer.decode(encoding.ids, text::SpecialTokens::omit);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void run(const TokenizeRequest& options) {
  const auto length = length_options(options.length);
  const bool needs_length =
      length.truncation == text::Truncation::head_tail || length.truncation == text::Truncation::tail;
  if (needs_length && !length.max_length) {
    throw api::UsageError("tokenize", "--truncation " + options.length.truncation + " needs --max-length");
  }
  static constexpr std::array<std::string_view, 1> kEndings{".jsonl"};
  const auto path = checked_output(options.out, kEndings);
  refuse_input_as_output(options.input.paths, path);
  if (is_standard_output(path)) api::end_when_interrupted(kOnlyPrinted);
  InputTexts texts(options.input);
  const auto tokenizer = load_tokenizer(options);
  api::OutputFile out(path);
  const text::EncodeOptions encode{
      .special_tokens = options.no_special ? text::SpecialTokens::omit : text::SpecialTokens::add,
      .truncation = length.truncation,
      .max_length = length.max_length};
  api::ReadCount count;
  while (const auto record = texts.next()) {
    const auto encoding = api::encode(tokenizer, *record, encode);
    api::add_to(count, encoding, tokenizer);
    ++count.texts;
    out.write(line_of(options, tokenizer, *record, encoding));
  }
  out.commit();
  report_unknown(count);
  report_cut(count.texts_cut, count.texts, length.max_length);
}

}  // namespace

void add_tokenize(CLI::App& program) {
  auto* verb = program.add_subcommand("tokenize", "Ids, segments, tokens and byte offsets, one JSON line per text");
  const auto options = std::make_shared<TokenizeRequest>();
  verb->add_option("--model", options->model,
                   "A checkpoint directory, a model that comes along, or a name in the local hub cache");
  verb->add_option("--vocab", options->vocabulary, "A vocabulary file instead, one token per line");
  verb->add_option("--lowercase", options->lowercase, "With --vocab: true for uncased, false for cased")
      ->check(one_of({"true", "false"}))
      ->option_text("true|false");
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_output(*verb, options->out, "OUT.jsonl; standard output where not given or -");
  verb->add_flag("--no-special", options->no_special, "Leave out [CLS] and [SEP]");
  verb->add_flag("--decode", options->decode, "Add the text that the ids decode to, without special tokens");
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand tokenize --vocab vocab.txt --lowercase true --text 'Unaffable!'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
