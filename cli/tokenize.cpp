#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base_names.hpp"
#include "api/options/option_names.hpp"
#include "api/outputs/output.hpp"
#include "api/tokenizing/encode_texts.hpp"
#include "api/tokenizing/encoding_lines.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "terminal/option_validators.hpp"
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

/// Bytes of text, and texts, that are in memory at a time.
constexpr size_t kBytesTogether = size_t{1} << 20;
constexpr size_t kTextsTogether = 8192;

/// Texts that are encoded together.
struct Portion {
  std::vector<text::InputRecord> records;
  std::exception_ptr failure;  ///< of the input after them
  bool is_last = false;
};

Portion next_portion(InputTexts& texts) {
  Portion portion;
  const uint64_t begin = texts.place().bytes;
  try {
    while (portion.records.size() < kTextsTogether && texts.place().bytes - begin < kBytesTogether) {
      auto record = texts.next();
      portion.is_last = !record;
      if (!record) break;
      portion.records.push_back(*std::move(record));
    }
  } catch (const api::Error&) {
    portion.failure = std::current_exception();  // a text before it may be at fault too, and is named then
  }
  return portion;
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
      .truncation = length.truncation.value_or(text::Truncation::longest_first),
      .max_length = length.max_length};
  api::EncodingLines lines(tokenizer, {.encode = encode,
                                       .decoded = options.decode ? api::Decoded::write : api::Decoded::leave_out,
                                       .threads = options.common.threads});
  for (bool is_last = false; !is_last;) {
    const auto portion = next_portion(texts);
    for (const auto& line : lines.of(portion.records)) out.write(line);
    if (portion.failure) std::rethrow_exception(portion.failure);
    is_last = portion.is_last;
  }
  out.commit();
  report_tokenizer(tokenizer);
  report_unknown(lines.count());
  report_cut(lines.count().texts_cut, lines.count().texts, length.max_length);
}

}  // namespace

void add_tokenize(CLI::App& program) {
  auto* verb =
      program.add_subcommand("tokenize", "Print ids, segments, tokens and byte offsets, one JSON line per text");
  const auto options = std::make_shared<TokenizeRequest>();
  verb->add_option("--model", options->model,
                   "A checkpoint directory, a bundled model's name, or a name in the local hub cache");
  verb->add_option("--vocab", options->vocabulary, "A vocabulary file instead of a model, one token per line");
  verb->add_option("--lowercase", options->lowercase, "With --vocab: true for uncased, false for cased")
      ->check(terminal::one_of({"true", "false"}))
      ->option_text("true|false");
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_output(*verb, options->out, "OUT.jsonl. Default and -: standard output");
  verb->add_flag("--no-special", options->no_special, "Leave out [CLS] and [SEP]");
  verb->add_flag("--decode", options->decode, "Add the text that the ids decode to, without special tokens");
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand tokenize --vocab vocab.txt --lowercase true --text 'Unaffable!'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
