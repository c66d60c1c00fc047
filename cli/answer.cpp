#include "api/heads/answer.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/base_names.hpp"
#include "cli/head_run.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "model/heads.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/table.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

struct AnswerRequest {
  HeadOptions head;
  std::vector<std::string> questions;
  std::string context_file;
  std::optional<std::string> context_text;
  std::string question_field = "question";
  std::string context_field = "context";
  size_t top = 1;
  size_t max_answer = 15;
  size_t max_length = 0;
  std::optional<size_t> stride;
  bool no_answer = false;
  std::string align = "words";
};

/// The one context that every --question is asked about.
std::string given_context(const AnswerRequest& options) {
  if (options.context_file.empty() != options.context_text.has_value()) {
    throw api::UsageError("context",
                          fmt::format("expected --context FILE or --context-text TEXT with --question, got {}",
                                      options.context_text ? "both" : "neither"));
  }
  if (options.context_text) {
    (void)check_utf8(options.head.input, "--context-text", *options.context_text);
    return *options.context_text;
  }
  std::error_code unknown;
  if (options.context_file != "-" && !std::filesystem::exists(options.context_file, unknown)) {
    throw api::IoError(options.context_file,
                       "expected a file, got none of this name; --context-text takes a text itself");
  }
  return whole_text(options.head.input, options.context_file);
}

/// Questions of the command line, each with the context, or those of the files.
InputOptions input_options(const AnswerRequest& options) {
  InputOptions input = options.head.input;
  input.text_field = "question-field";
  if (options.questions.empty() == input.paths.empty()) {
    throw api::UsageError(
        "input", fmt::format("expected INPUT or --question, got {}", input.paths.empty() ? "neither" : "both"));
  }
  if (options.questions.empty()) {
    if (!options.context_file.empty() || options.context_text) {
      throw api::UsageError("context", "expected --question with a context, got INPUT, which has contexts of its own");
    }
    input.fields.text = options.question_field;
    input.fields.text_pair = options.context_field;
    return input;
  }
  for (const auto& question : options.questions) (void)check_utf8(input, "--question", question);
  input.texts = options.questions;
  input.pairs.assign(options.questions.size(), given_context(options));
  return input;
}

api::AnswerOptions answer_options(const AnswerRequest& options) {
  api::AnswerOptions answer{.stride = options.stride, .top = options.top, .max_answer_tokens = options.max_answer};
  if (options.max_length > 0) answer.max_length = options.max_length;
  if (options.align == "tokens") answer.ends = api::AnswerEnds::tokens;
  if (options.no_answer) answer.no_answer = api::NoAnswer::competes;
  return answer;
}

void print(const text::InputRecord& record, const api::Answers& answers) {
  fmt::print("{}\n", terminal::shortened(record.text, terminal::kTextWidth));
  if (answers.best.empty()) return fmt::print("  no answer\n");
  terminal::Table table({{"  bytes", terminal::Align::right, ""},
                         {"score", terminal::Align::right, ""},
                         {"answer", terminal::Align::left, ""}});
  for (const auto& answer : answers.best) {
    const bool none = answer.text.empty();
    table.add({none ? "-" : fmt::format("  {}-{}", answer.bytes.begin, answer.bytes.end),
               terminal::score_text(answer.score),
               none ? "(no answer)" : terminal::shortened(answer.text, terminal::kTextWidth)});
  }
  table.print(stdout);
}

nlohmann::ordered_json to_json(const api::Answers& answers) {
  nlohmann::ordered_json json{{"answers", nlohmann::ordered_json::array()}, {"no_answer", answers.no_answer}};
  for (const auto& answer : answers.best) {
    json["answers"].push_back(
        {{"text", answer.text}, {"score", answer.score}, {"bytes", {answer.bytes.begin, answer.bytes.end}}});
  }
  return json;
}

void run(const AnswerRequest& options) {
  HeadOptions head = options.head;
  head.input = input_options(options);
  HeadRun run(head, model::Head::question_answering);
  const auto answer = answer_options(options);
  const auto reading = api::reading_for(run.model(), answer);
  if (head.logits) return run.write_logits(reading);
  run.each_batch(reading, [&](api::RecordBatch& batch) {
    const auto questions = api::answer(run.model(), batch, answer);
    for (size_t i = 0; i < questions.size(); ++i) {
      if (head.common.json) {
        print_json_line(with_id(batch.records[i].id, to_json(questions[i])));
        continue;
      }
      if (batch.first + i > 0) fmt::print("\n");
      print(batch.records[i], questions[i]);
    }
  });
}

void add_input_options(CLI::App& verb, AnswerRequest& options) {
  add_input_files(verb, options.head.input);
  verb.get_option("INPUT")->description(
      "Files of questions and contexts: .jsonl, .csv or .tsv, also with .gz or .zst; - is standard input");
  verb.get_option("--format")->description("The format of INPUT, whatever its name says")->option_text("jsonl|csv|tsv");
  verb.add_option("--question-field", options.question_field, "Key or column of the questions")
      ->option_text("NAME=question");
  verb.add_option("--context-field", options.context_field, "Key or column of the contexts")
      ->option_text("NAME=context");
  add_input_rules(verb, options.head.input);
  verb.add_option("--question", options.questions, "A question on the command line; may be repeated, about one context")
      ->allow_extra_args(false)
      ->option_text("TEXT");
  verb.add_option("--context", options.context_file, "A file whose whole text is the context; - is standard input")
      ->option_text("FILE");
  verb.add_option("--context-text", options.context_text, "The context on the command line")->option_text("TEXT");
}

void add_answer_options(CLI::App& verb, AnswerRequest& options) {
  verb.add_option("--top", options.top, "Answers to each question, best first")
      ->check(terminal::whole_number(1))
      ->option_text("N=1");
  verb.add_flag("--no-answer", options.no_answer, "Let \"no answer\" compete with the answers");
  verb.add_option("--max-answer", options.max_answer, "An answer has at most N tokens")
      ->check(terminal::whole_number(1))
      ->option_text("N=15");
  verb.add_option("--align", options.align,
                  "words: widen an answer that begins or ends within a word to the whole word; tokens: leave it")
      ->check(terminal::one_of({"words", "tokens"}))
      ->option_text("HOW=words");
  verb.add_option("--max-length", options.max_length,
                  "Tokens of a window: the question, a part of the context, special tokens. Default: 384, or less if "
                  "the tokenizer or the model allow less")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  verb.add_option("--stride", options.stride,
                  "Tokens that neighbouring windows share. Default: 128, or half a window if that is less")
      ->check(terminal::whole_number(0))
      ->option_text("N");
}

}  // namespace

void add_answer(CLI::App& program) {
  auto* verb = program.add_subcommand("answer", "Find where a context answers a question");
  const auto options = std::make_shared<AnswerRequest>();
  add_model(*verb, options->head.model);
  add_engine(*verb, options->head.model);
  add_input_options(*verb, *options);
  add_answer_options(*verb, *options);
  verb->add_flag("--logits", options->head.logits, "Write the raw logits to OUT instead");
  add_output(*verb, options->head.out, "With --logits: OUT.safetensors, or - for standard output");
  add_common(*verb, options->head.common);
  verb->footer(
      "Takes a BertForQuestionAnswering. Each record of INPUT (.jsonl, .csv or .tsv) has a question and a context.\n"
      "A long context is divided into windows, each with the whole question; nothing is cut.\n"
      "The score is the probability of an answer's first token times that of its last, within a window. Answers that\n"
      "differ only in case are one, and their scores are added.\n"
      "With --json one object per question and line:\n"
      "{\"answers\":[{\"text\":…,\"score\":…,\"bytes\":[…,…]},…],\"no_answer\":…}\n"
      "bytes: begin and end of the answer in the context. no_answer: the score of there being no answer, the least of\n"
      "the windows; with --no-answer it is an answer too, with an empty text.\n"
      "With --logits: logits [tokens of all windows, 2], for begin and end, special tokens included; offsets\n"
      "[questions + 1] and windows [windows + 1], the rows of each question and window; tokens, each row's place\n"
      "among its question's.\n"
      "Examples:\n"
      "  summand answer --model DIR --question 'Where was Ada born?' --context-text 'Ada was born in London.'\n"
      "  summand answer --model DIR --question 'Who wrote it?' --context book.txt --top 3\n"
      "  summand answer --model DIR questions.jsonl --json --no-answer");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
