#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "api/embed_stream.hpp"
#include "api/error.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"
#include "cli/interruption.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/progress_line.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

namespace {

struct Options {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  EmbedFlags embed;
  std::string out;
  size_t batch_tokens = api::kBatchTokens;
  bool resume = false;
};

/// What a run that ends early leaves for --resume.
std::string what_is_kept(const api::EmbeddingFile& file) {
  const size_t texts = file.recorded_rows();
  return texts == 0 ? std::string() : fmt::format("{} texts are finished and kept; --resume goes on from there", texts);
}

/// Runs all texts. If that fails or is interrupted after some were finished, says so: nothing is lost.
api::EmbedStreamReport write_all(const api::Embedder& embedder, InputTexts& texts, api::EmbeddingFile& file,
                                 size_t batch_tokens) {
  notice_interruptions();
  try {
    ProgressLine line(texts);
    const auto next = [&] {
      auto record = texts.next();
      check_interruption();
      return record;
    };
    const auto on_progress = [&](const api::Progress& done) {
      check_interruption();
      line.show(done);
    };
    const auto report =
        api::embed_stream(embedder, next, file, {.batch_tokens = batch_tokens, .on_progress = on_progress});
    file.commit();
    return report;
  } catch (const api::Error&) {
    if (const auto kept = what_is_kept(file); !kept.empty()) fmt::print(stderr, "summand: {}\n", kept);
    throw;
  } catch (const Interrupted&) {
    const auto kept = what_is_kept(file);
    fmt::print(stderr, "summand: interrupted{}{}\n", kept.empty() ? "" : "; ", kept);
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
  report_unknown(report.count);
  report_length(report.count, embedder, options.embed);
  if (options.common.json) {
    const nlohmann::ordered_json json{{"out", options.out},
                                      {"texts", report.texts},
                                      {"width", embedder.width()},
                                      {"texts_resumed", report.texts_resumed},
                                      {"tokens", report.count.tokens},
                                      {"texts_cut", report.count.texts_cut},
                                      {"texts_divided", report.count.windows.texts_divided},
                                      {"windows", report.count.windows.windows},
                                      {"max_length", embedder.limit()},
                                      {"precision", model.precision_description()},
                                      {"threads", report.threads}};
    print_json(json);
    return;
  }
  if (report.texts_resumed > 0) fmt::print(stderr, "summand: {} texts were there already\n", report.texts_resumed);
  fmt::print(stderr, "summand: {} {}, {} tokens, vectors of {} in {}\n", report.texts,
             report.texts == 1 ? "text" : "texts", report.count.tokens, embedder.width(), options.out);
}

}  // namespace

void add_embed(CLI::App& program) {
  auto* verb = program.add_subcommand("embed", "Sentence vectors, one per text");
  const auto options = std::make_shared<Options>();
  add_model(*verb, options->model);
  add_precision(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  verb->add_option("-o,--output", options->out, "OUT.npy, OUT.jsonl or OUT.csv")->required();
  add_embed_flags(*verb, options->embed);
  verb->add_option("--batch-tokens", options->batch_tokens,
                   "Tokens that are computed at a time; the vectors do not depend on it")
      ->check(CLI::PositiveNumber)
      ->option_text("N=16384");
  verb->add_flag("--resume", options->resume, "Go on where an interrupted run with the same texts and options stopped");
  add_common(*verb, options->common);
  verb->footer(
      "Example:\n  summand embed --model DIR sentences.txt -o vectors.npy\n"
      "  summand embed --model DIR books.jsonl -o vectors.npy --windows mean --overlap 32");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
