#include "api/heads/tag.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/options/option_names.hpp"
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

constexpr size_t kWordWidth = 40;

struct TagRequest {
  HeadOptions head;
  std::string aggregate = "simple";
};

void print(const text::InputRecord& record, const std::vector<api::Tag>& tags) {
  fmt::print("{}\n", terminal::shortened(record_label(record), terminal::kTextWidth));
  if (tags.empty()) return fmt::print("  no tags\n");
  terminal::Table table({{"  bytes", terminal::Align::right, ""},
                         {"label", terminal::Align::left, ""},
                         {"score", terminal::Align::right, ""},
                         {"word", terminal::Align::left, ""}});
  for (const auto& tag : tags) {
    table.add({fmt::format("  {}-{}", tag.bytes.begin, tag.bytes.end), terminal::shortened(tag.label, kWordWidth),
               terminal::score_text(tag.score), terminal::shortened(tag.word, kWordWidth)});
  }
  table.print(stdout);
}

nlohmann::ordered_json to_json(const std::vector<api::Tag>& tags) {
  nlohmann::ordered_json json{{"tags", nlohmann::ordered_json::array()}};
  for (const auto& tag : tags) {
    json["tags"].push_back({{"label", tag.label},
                            {"score", tag.score},
                            {"word", tag.word},
                            {"bytes", {tag.bytes.begin, tag.bytes.end}},
                            {"tokens", {tag.tokens.begin, tag.tokens.end}},
                            {"words", {tag.words.begin, tag.words.end}}});
  }
  return json;
}

void run(const TagRequest& options) {
  HeadRun run(options.head, model::Head::token_classification);
  if (options.head.logits) return run.write_logits();
  auto reading = run.reading();
  reading.encodings = api::KeepEncodings::of_divided_too;
  const api::TagOptions tag{.windows = reading.windows, .aggregation = api::aggregation_named(options.aggregate)};
  run.each_batch(reading, [&](api::RecordBatch& batch) {
    const auto texts = api::tag(run.model(), batch, tag);
    for (size_t i = 0; i < texts.size(); ++i) {
      if (options.head.common.json) {
        print_json_line(with_id(batch.records[i].id, to_json(texts[i])));
        continue;
      }
      if (batch.first + i > 0) fmt::print("\n");
      print(batch.records[i], texts[i]);
    }
  });
}

}  // namespace

void add_tag(CLI::App& program) {
  auto* verb = program.add_subcommand("tag", "Label the words of a text, as names or parts of speech");
  const auto options = std::make_shared<TagRequest>();
  add_head_input(*verb, options->head);
  verb->add_option("--aggregate", options->aggregate,
                   "none: every token; simple: neighbours with one label together; first, average, max: the same for "
                   "whole words, labelled by their first token, their tokens' mean, or their surest token")
      ->check(terminal::one_of({"none", "simple", "first", "average", "max"}))
      ->option_text("HOW=simple");
  add_head_output(*verb, options->head);
  add_head_windows(*verb, options->head.windows);
  verb->footer(
      "INPUT is texts, or .jsonl with \"tokens\", words already split, in each line. Tags labelled O are left out.\n"
      "With --json one object per text and line:\n"
      "{\"tags\":[{\"label\":…,\"score\":…,\"word\":…,\"bytes\":[…,…],\"tokens\":[…,…],\"words\":[…,…]},…]}\n"
      "Each pair is begin and end: bytes in the text (of words already split: with one space between them), tokens\n"
      "with [CLS] as token 0, words from 0.\n"
      "With --windows a long text is divided; a token in several windows has the mean or the largest of its logits.\n"
      "With --logits: logits [tokens, labels], special tokens included; offsets [texts + 1], the rows of each text;\n"
      "tokens [tokens], each row's place in its text.\n"
      "Example:\n"
      "  summand tag --model DIR --text 'Ada Lovelace was born in London.'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
