#include "api/heads/next_sentence.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/head_run.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "model/heads.hpp"
#include "terminal/number_text.hpp"
#include "terminal/table.hpp"

namespace summand::cli {

namespace {

void run(const HeadOptions& options) {
  HeadRun run(options, model::Head::next_sentence);
  if (options.logits) return run.write_logits();
  terminal::Table table({{"is next", terminal::Align::right, ""},
                         {"is not", terminal::Align::right, ""},
                         {"pair", terminal::Align::left, ""}});
  const api::Taps none;
  auto logits = api::next_sentence_logits(run.model(), none, RepeatedTexts::compute_once);
  run.each_batch([&](api::RecordBatch& batch) {
    const auto pairs = api::next_sentences(logits, batch);
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (options.common.json) {
        print_json_line(
            with_id(batch.records[i].id,
                    {{"is_next", pairs[i].is_next}, {"not_next", pairs[i].not_next}, {"logits", pairs[i].logits}}));
      } else {
        table.add({terminal::score_text(pairs[i].is_next), terminal::score_text(pairs[i].not_next),
                   terminal::shortened(record_label(batch.records[i]), terminal::kTextWidth)});
      }
    }
    if (!options.common.json) table.print_portion(stdout);
  });
}

}  // namespace

void add_next_sentence(CLI::App& program) {
  auto* verb = program.add_subcommand("next-sentence", "Tell how likely the second text of a pair follows the first");
  const auto options = std::make_shared<HeadOptions>();
  add_head_input(*verb, *options);
  add_text_pair(*verb, options->input);
  add_head_output(*verb, *options);
  verb->footer(
      "Each record of INPUT (.jsonl, .csv or .tsv) has text and text_pair.\n"
      "With --json one object per pair and line: {\"is_next\":…,\"not_next\":…,\"logits\":[…,…]}.\n"
      "With --logits: logits [texts, 2], \"is next\" first; offsets [texts + 1], the rows of each text.\n"
      "Example:\n"
      "  summand next-sentence --model DIR --text 'He went to the store.' --text-pair 'He bought milk.'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
