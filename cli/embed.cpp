#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/embed_stream.hpp"
#include "api/error.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

namespace {

struct Options {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  EmbedFlags embed;
  std::string out;
  size_t batch_tokens = 16384;
  bool resume = false;
};

/// Runs all texts. If that fails after some were finished, says so: nothing is lost.
api::EmbedStreamReport write_all(const api::Embedder& embedder, InputTexts& texts, api::EmbeddingFile& file,
                                 size_t batch_tokens) {
  try {
    const auto report = api::embed_stream(
        embedder, [&] { return texts.next(); }, file, batch_tokens);
    file.commit();
    return report;
  } catch (const api::Error&) {
    if (file.recorded_rows() > 0) {
      fmt::print(stderr, "summand: {} texts are finished and kept; --resume goes on from there\n",
                 file.recorded_rows());
    }
    throw;
  }
}

void run(const Options& options) {
  const auto embed = embed_options(options.embed);
  InputTexts texts(options.input);
  const auto model = load(options.model, options.common);
  const api::Embedder embedder(model, embed);
  api::EmbeddingFile file(options.out, embedder.width(), embedder.fingerprint(),
                          options.resume ? api::Resume::yes : api::Resume::no);
  const auto report = write_all(embedder, texts, file, options.batch_tokens);

  report_notices(model);
  report_fallback(model, options.embed);
  report_cut(report.texts_cut, report.texts - report.texts_resumed, embedder.limit());
  if (options.common.json) {
    const nlohmann::ordered_json json{{"out", options.out},
                                      {"texts", report.texts},
                                      {"width", embedder.width()},
                                      {"texts_resumed", report.texts_resumed},
                                      {"tokens", report.tokens},
                                      {"texts_cut", report.texts_cut},
                                      {"max_length", embedder.limit()},
                                      {"precision", "fp32"},
                                      {"threads", report.threads}};
    print_json(json);
    return;
  }
  if (report.texts_resumed > 0) fmt::print(stderr, "summand: {} texts were there already\n", report.texts_resumed);
  fmt::print(stderr, "summand: {} texts, {} tokens, vectors of {} in {}\n", report.texts, report.tokens,
             embedder.width(), options.out);
}

}  // namespace

void add_embed(CLI::App& program) {
  auto* verb = program.add_subcommand("embed", "Sentence vectors, one per text");
  const auto options = std::make_shared<Options>();
  add_model(*verb, options->model);
  add_input(*verb, options->input);
  verb->add_option("-o,--output", options->out, "OUT.npy, OUT.jsonl or OUT.csv")->required();
  add_embed_flags(*verb, options->embed);
  verb->add_option("--batch-tokens", options->batch_tokens,
                   "Tokens that are computed at a time; the vectors do not depend on it")
      ->check(CLI::PositiveNumber)
      ->option_text("N=16384");
  verb->add_flag("--resume", options->resume, "Go on where an interrupted run with the same texts and options stopped");
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand embed --model DIR sentences.txt -o vectors.npy");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
