#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "summand/system_info.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/table.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

struct BenchRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  int rounds = 7;
};

/// Texts that are computed together.
struct Work {
  std::string name;
  std::vector<text::InputRecord> texts;
};

struct MeasuredWork {
  std::string name;
  size_t texts = 0;
  size_t tokens = 0;
  double seconds = 0;  ///< median
};

/// Sentences of everyday words, of 3 to 26 of them.
constexpr std::array kSentences{
    "The river bank was quiet.",
    "A man went to the store and bought a gallon of milk, two loaves of bread and a newspaper.",
    "It rained.",
    "Interest rates rose by a quarter of a percent on Tuesday, which was the third increase since the beginning of the "
    "year, and shares fell.",
    "She asked whether the window could be opened.",
    "Few believed that a machine could write programs, and it took years until others understood what she had done.",
};

text::InputRecord record(std::string text) {
  text::InputRecord result;
  result.text = std::move(text);
  return result;
}

/// `count` texts of `sentences` sentences each, each beginning with another one.
Work make_work(const std::string& name, size_t count, size_t sentences) {
  Work work{.name = name, .texts = {}};
  for (size_t text = 0; text < count; ++text) {
    std::string words;
    for (size_t i = 0; i < sentences; ++i) words += std::string(kSentences[(text + i) % kSentences.size()]) + " ";
    work.texts.push_back(record(words));
  }
  return work;
}

std::vector<Work> make_works(const InputOptions& input) {
  if (!input.is_empty()) return {{.name = "the texts given", .texts = InputTexts(input).rest()}};
  return {make_work("one short text", 1, 1), make_work("one long text", 1, 7), make_work("sentences", 192, 1),
          make_work("paragraphs", 24, 11)};
}

double seconds_of(const api::Embedder& embedder, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(embedder.embed(work.texts));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Many texts are timed once a round; a few take turns with themselves until a fiftieth of a second is over.
MeasuredWork measure(const api::Embedder& embedder, const Work& work, int rounds) {
  constexpr double kLeastSeconds = 0.02;
  MeasuredWork measured{
      .name = work.name, .texts = work.texts.size(), .tokens = embedder.embed(work.texts).count.tokens};
  const int times = 1 + static_cast<int>(kLeastSeconds / seconds_of(embedder, work));
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    double total = 0;
    for (int i = 0; i < times; ++i) total += seconds_of(embedder, work);
    seconds.push_back(total / times);
  }
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
  measured.seconds = seconds[seconds.size() / 2];
  return measured;
}

void print(const api::LoadedModel& model, const std::vector<MeasuredWork>& all, const BenchRequest& options) {
  const SystemInfo info = system_info(options.common.threads);
  terminal::print_pairs(
      stdout, "",
      {{"precision", model.precision_description()},
       {"processor", info.processor},
       {"instruction set", info.instruction_set},
       {"matrix products", info.matrix_products},
       {"threads", std::to_string(info.threads)},
       {"rounds", options.rounds == 1 ? "1" : fmt::format("{}, of which the medians count", options.rounds)}});
  fmt::print("\n");
  terminal::Table table({{"", terminal::Align::left, ""},
                         {"texts", terminal::Align::right, ""},
                         {"tokens", terminal::Align::right, ""},
                         {"ms", terminal::Align::right, ""},
                         {"thousand tokens/s", terminal::Align::right, ""}});
  for (const auto& one : all) {
    table.add({one.name, std::to_string(one.texts), std::to_string(one.tokens), terminal::fixed(1e3 * one.seconds, 2),
               terminal::fixed(1e-3 * static_cast<double>(one.tokens) / one.seconds, 2)});
  }
  table.print(stdout);
}

nlohmann::ordered_json to_json(const api::LoadedModel& model, const std::vector<MeasuredWork>& all,
                               const BenchRequest& options) {
  const SystemInfo info = system_info(options.common.threads);
  nlohmann::ordered_json json{{"precision", model.precision_description()},
                              {"processor", info.processor},
                              {"instruction_set", info.instruction_set},
                              {"matrix_products", info.matrix_products},
                              {"threads", info.threads},
                              {"rounds", options.rounds},
                              {"work", nlohmann::ordered_json::array()}};
  for (const auto& one : all) {
    json["work"].push_back(
        {{"name", one.name}, {"texts", one.texts}, {"tokens", one.tokens}, {"seconds", one.seconds}});
  }
  return json;
}

void run(const BenchRequest& options) {
  const auto works = make_works(options.input);
  const auto model = load(options.model, options.common);
  // Some works repeat their texts: compute each of them.
  const api::Embedder embedder(model, {.repeated = RepeatedTexts::compute_each});
  std::vector<MeasuredWork> all;
  for (const auto& work : works) {
    if (!work.texts.empty()) all.push_back(measure(embedder, work, options.rounds));
  }
  report_notices(model);
  if (options.common.json) {
    print_json(to_json(model, all, options));
  } else {
    print(model, all, options);
  }
}

}  // namespace

void add_bench(CLI::App& program) {
  auto* verb = program.add_subcommand("bench", "Measure how fast this machine makes sentence vectors");
  const auto options = std::make_shared<BenchRequest>();
  add_model(*verb, options->model);
  add_engine(*verb, options->model);
  add_input(*verb, options->input);
  verb->add_option("--rounds", options->rounds, "Measure each kind of work N times and take the median")
      ->check(terminal::whole_number(1, 1000))
      ->option_text("N=7");
  add_common(*verb, options->common);
  verb->footer(
      "Without INPUT and --text it uses its own texts: one short, one long, many sentences, some paragraphs. The time\n"
      "runs from texts to vectors, with the model loaded. `make bench` compares with other engines.\n"
      "Example:\n"
      "  summand bench --model DIR --precision bf16");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
