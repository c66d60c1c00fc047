#include "cli/head_run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "api/base_names.hpp"
#include "api/heads/logits_file.hpp"
#include "api/heads/trained_reading.hpp"
#include "api/outputs/record_ids.hpp"
#include "cli/print_json.hpp"
#include "cli/unknown_words.hpp"
#include "terminal/number_text.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

void add_head_input(CLI::App& verb, HeadOptions& options) {
  add_model(verb, options.model);
  add_engine(verb, options.model);
  add_input(verb, options.input);
}

void add_head_output(CLI::App& verb, HeadOptions& options) {
  verb.add_flag("--logits", options.logits, "Write the raw logits to OUT instead");
  add_output(verb, options.out, "With --logits: OUT.safetensors, or - for standard output");
  add_length(verb, options.length);
  add_common(verb, options.common);
}

HeadRun::HeadRun(const HeadOptions& options, model::Head head)
    : options_(options),
      out_(prepared_output()),
      head_(head),
      texts_(options.input),
      model_(load(options.model, options.common)) {
  api::require_head(model_, head);
}

/// Before any work: checks where logits go, or sets the message for an interrupted run that prints results.
std::string HeadRun::prepared_output() const {
  static constexpr std::array<std::string_view, 1> kEndings{".safetensors"};
  if (options_.logits == options_.out.path.empty()) {
    throw api::UsageError("output", options_.logits ? "expected -o OUT.safetensors with --logits, got none"
                                                    : "-o is for --logits; results go to standard output");
  }
  if (!options_.logits) {
    api::end_when_interrupted(kOnlyPrinted);
    return {};
  }
  auto out = checked_output(options_.out, kEndings);
  refuse_input_as_output(options_.input.paths, out);
  refuse_terminal(out, "a .safetensors");
  api::check_output(api::ids_path(out), {.endings = {}, .existing = options_.out.existing()});
  return out;
}

api::NextRecord HeadRun::records() {
  return [this] {
    auto record = texts_.next();
    if (record && !out_.empty()) ids_.push_back(record->id);
    return record;
  };
}

void HeadRun::each_batch(const api::ReadingOptions& reading, const std::function<void(api::RecordBatch&)>& use) {
  api::RecordBatches batches(model_, records(), reading);
  api::ReadCount count;
  while (auto batch = batches.next()) {
    use(*batch);
    count.add(batch->count);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw api::IoError("standard output", "cannot be written");
    }
  }
  report(count);
}

void HeadRun::write_logits(const api::ReadingOptions& reading) {
  const auto written = api::write_logits(model_, head_, records(), reading, out_);
  api::write_ids(ids_, out_);
  report(written.count);
  if (options_.common.json) {
    const nlohmann::ordered_json json{{"out", out_},
                                      {"texts", written.count.texts},
                                      {"rows", written.rows},
                                      {"columns", written.columns},
                                      {"texts_cut", written.count.texts_cut}};
    return print_json(json);
  }
  terminal::print_to_stderr("{} {}, logits [{}, {}] in {}", written.count.texts,
                            written.count.texts == 1 ? "text" : "texts", written.rows, written.columns, out_);
}

Reading HeadRun::asked_reading() const {
  return {.length = length_options(options_.length), .windows = window_options(options_.windows)};
}

api::ReadingOptions HeadRun::reading() const {
  const Reading reading = api::reading_for(model_, head_, asked_reading());
  return {.length = reading.length, .windows = reading.windows};
}

void HeadRun::report_reading() const {
  const std::string taken =
      model::as_options(model::taken_from_training(asked_reading(), api::trained_reading(model_, head_)));
  if (!taken.empty()) terminal::print_to_stderr("texts are read as the model was trained: {}", taken);
}

void HeadRun::report(const api::ReadCount& count) const {
  report_notices(model_);
  report_reading();
  report_unknown(count);
  report_repeated(count);
  if (reading().windows || count.windows.texts_divided > 0) {
    report_windows(count.windows, count.texts);
    if (count.texts_cut > 0) {
      terminal::print_to_stderr("{} of {} had more than {} windows and lost the rest", count.texts_cut,
                                terminal::counted(count.texts, "text"), model_.config().window_encoder->most_windows);
    }
    return;
  }
  report_cut(count.texts_cut, count.texts, reading().length.max_length.value_or(model_.position_limit()));
}

}  // namespace summand::cli
