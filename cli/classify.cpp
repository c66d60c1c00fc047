#include "api/heads/classify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
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
#include "terminal/table.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

constexpr size_t kLabelWidth = 32;

struct ClassifyRequest {
  HeadOptions head;
  size_t top = 0;
};

terminal::Table table_for(const api::LoadedModel& model) {
  size_t width = 0;
  for (const auto& label : model.config().labels)
    width = std::max(width, terminal::display_width(terminal::shortened(label, kLabelWidth)));
  return terminal::Table({{.name = "label", .align = terminal::Align::left, .group = "", .least_width = width},
                          {.name = "score", .align = terminal::Align::right, .group = "", .least_width = 7},
                          {.name = "text", .align = terminal::Align::left, .group = ""}});
}

void add_rows(terminal::Table& table, const text::InputRecord& record, const std::vector<api::LabelScore>& labels) {
  std::string text = terminal::shortened(record_label(record), terminal::kTextWidth);
  if (labels.empty()) table.add({"-", "", text});
  for (const auto& label : labels) {
    table.add(
        {terminal::shortened(label.label, kLabelWidth), terminal::score_text(label.score), std::exchange(text, "")});
  }
}

nlohmann::ordered_json to_json(const std::vector<api::LabelScore>& labels) {
  nlohmann::ordered_json json{{"labels", nlohmann::ordered_json::array()}};
  for (const auto& label : labels) {
    json["labels"].push_back({{"label", label.label}, {"score", label.score}, {"logit", label.logit}});
  }
  return json;
}

void run(const ClassifyRequest& options) {
  HeadRun run(options.head, model::Head::sequence_classification);
  if (options.head.logits) return run.write_logits();
  api::ClassifyOptions classify{.windows = run.reading().windows};
  if (options.top > 0) classify.top = options.top;
  terminal::Table table = table_for(run.model());
  auto logits = api::logits_for(run.model(), classify);
  run.each_batch([&](api::RecordBatch& batch) {
    const auto texts = api::classify(run.model(), logits, batch, classify);
    for (size_t i = 0; i < texts.size(); ++i) {
      if (options.head.common.json) {
        print_json_line(with_id(batch.records[i].id, to_json(texts[i])));
      } else {
        add_rows(table, batch.records[i], texts[i]);
      }
    }
    if (!options.head.common.json) table.print_portion(stdout);
  });
}

}  // namespace

void add_classify(CLI::App& program) {
  auto* verb = program.add_subcommand("classify", "Label texts or pairs, with scores");
  const auto options = std::make_shared<ClassifyRequest>();
  add_head_input(*verb, options->head);
  add_text_pair(*verb, options->head.input);
  verb->add_option("--top", options->top,
                   "Labels per text, best first. Default: the best one, or all above 0.5 of a multi-label model")
      ->check(terminal::whole_number(1))
      ->option_text("N");
  add_head_output(*verb, options->head);
  add_head_windows(*verb, options->head.windows);
  verb->footer(
      "The model's problem_type decides what a score is:\n"
      "  regression                   the number itself\n"
      "  single_label_classification  probabilities that add up to 1 (of a model with one label: its sigmoid)\n"
      "  multi_label_classification   a probability for each label; without --top the labels above 0.5, perhaps none\n"
      "With --windows the logits of a text's windows are combined before they become scores.\n"
      "With --json one object per text and line: {\"labels\":[{\"label\":…,\"score\":…,\"logit\":…},…]}.\n"
      "With --logits: logits [texts, labels]; offsets [texts + 1], the rows of each text.\n"
      "Example:\n"
      "  summand classify --model DIR reviews.txt");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
