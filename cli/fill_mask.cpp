#include "api/heads/fill_mask.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/head_run.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "model/heads.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/table.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

struct FillMaskRequest {
  HeadOptions head;
  size_t top = 5;
  std::vector<std::string> targets;
};

void print(const text::InputRecord& record, const std::vector<api::FilledMask>& masks) {
  fmt::print("{}\n", terminal::shortened(record_label(record), terminal::kTextWidth));
  terminal::Table table({{"mask", terminal::Align::right, ""},
                         {"score", terminal::Align::right, ""},
                         {"token", terminal::Align::left, ""},
                         {"sequence", terminal::Align::left, ""}});
  for (size_t mask = 0; mask < masks.size(); ++mask) {
    std::string name = std::to_string(mask + 1);
    for (const auto& filling : masks[mask].fillings) {
      table.add({std::exchange(name, ""), terminal::score_text(filling.score), terminal::shortened(filling.token, 24),
                 terminal::shortened(filling.sequence, terminal::kTextWidth)});
    }
  }
  table.print(stdout);
}

nlohmann::ordered_json to_json(const std::vector<api::FilledMask>& masks) {
  nlohmann::ordered_json json{{"masks", nlohmann::ordered_json::array()}};
  for (const auto& mask : masks) {
    nlohmann::ordered_json entry{{"index", mask.token}, {"offset", {mask.bytes.begin, mask.bytes.end}}};
    entry["fillings"] = nlohmann::ordered_json::array();
    for (const auto& filling : mask.fillings) {
      entry["fillings"].push_back(
          {{"id", filling.id}, {"token", filling.token}, {"score", filling.score}, {"sequence", filling.sequence}});
    }
    json["masks"].push_back(std::move(entry));
  }
  return json;
}

void run(const FillMaskRequest& options) {
  HeadRun run(options.head, model::Head::masked_language);
  if (options.head.logits) return run.write_logits();
  api::FillTargets targets;
  if (!options.targets.empty()) targets = api::find_targets(run.model().tokenizer(), options.targets);
  run.each_batch([&](api::RecordBatch& batch) {
    const auto texts = api::fill_masks(run.model(), batch, {.top = options.top, .targets = targets.ids});
    for (size_t i = 0; i < texts.size(); ++i) {
      if (options.head.common.json) {
        print_json_line(with_id(batch.records[i].id, to_json(texts[i])));
        continue;
      }
      if (batch.first + i > 0) fmt::print("\n");
      print(batch.records[i], texts[i]);
    }
  });
  for (const auto& notice : targets.notices) terminal::print_to_stderr("{}", notice);
}

}  // namespace

void add_fill_mask(CLI::App& program) {
  auto* verb = program.add_subcommand("fill-mask", "Find the likeliest tokens for every [MASK] of a text");
  const auto options = std::make_shared<FillMaskRequest>();
  add_head_input(*verb, options->head);
  verb->add_option("--top", options->top, "Tokens for each mask")->check(terminal::whole_number(1))->option_text("N=5");
  verb->add_option("--targets", options->targets,
                   "Show only these words, as in good,bad; scores remain those among all words")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_head_output(*verb, options->head);
  verb->footer(
      "With --json one object per text and line:\n"
      "{\"masks\":[{\"index\":…,\"offset\":[…,…],\"fillings\":[{\"id\":…,\"token\":…,\"score\":…,\n"
      "\"sequence\":…},…]},…]}; index counts the text's tokens, offset its bytes.\n"
      "With --logits: logits [masks, vocabulary]; offsets [texts + 1], the rows of each text;\n"
      "tokens [masks], each row's place in its text.\n"
      "Example:\n"
      "  summand fill-mask --model DIR --text 'The capital of France is [MASK].'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
