#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/base_names.hpp"
#include "api/embedding/embed_to_file.hpp"
#include "api/outputs/record_ids.hpp"
#include "api/vector_files/quantize_vectors.hpp"
#include "api/vector_files/stored_vectors.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/print_json.hpp"
#include "cli/progress_line.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

/// Too many vectors to print.
constexpr size_t kMostTextsOnTerminal = 1000;
/// Source: sentence-transformers, util/quantization.py, which warns of fewer.
constexpr size_t kFewForRanges = 100;

struct EmbedRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  EmbedFlags embed;
  OutputFlags out{.path = "-"};
  std::string format;
  std::string type = "float32";
  std::string calibration;
  size_t batch_tokens = api::kBatchTokens;
  bool resume = false;
  bool restart = false;
};

/// Where the vectors go.
struct Target {
  std::string path;
  api::VectorFormat format = api::VectorFormat::jsonl;
  bool prints = false;  ///< on standard output
};

std::optional<api::VectorFormat> asked_format(const EmbedRequest& options) {
  if (options.format.empty()) return std::nullopt;
  if (options.format == "npy") return api::VectorFormat::npy;
  return options.format == "csv" ? api::VectorFormat::csv : api::VectorFormat::jsonl;
}

Target output_target(const EmbedRequest& options) {
  const auto asked = asked_format(options);
  OutputFlags out = options.out;
  out.overwrite |= options.resume;  // an existing file is checked together with an interrupted run's files
  Target target{.path = checked_output(out, asked ? std::span<const std::string_view>() : api::vector_endings())};
  target.prints = is_standard_output(target.path);
  target.format = target.prints ? asked.value_or(api::VectorFormat::jsonl) : api::vector_format(target.path, asked);
  if (target.format == api::VectorFormat::npy) refuse_terminal(target.path, "a .npy");
  refuse_input_as_output(options.input.paths, target.path);
  if (!options.calibration.empty()) refuse_input_as_output({options.calibration}, target.path);
  if (target.prints && options.common.json && target.format != api::VectorFormat::jsonl) {
    throw api::UsageError("output", "expected an output file with --json, got standard output");
  }
  return target;
}

api::FinishedTexts finished_texts(const EmbedRequest& options) {
  if (options.restart) return api::FinishedTexts::discard;
  return options.resume ? api::FinishedTexts::resume : api::FinishedTexts::refuse;
}

/// How the numbers are stored.
struct Numbers {
  api::VectorType type = api::VectorType::float32;
  std::optional<api::VectorRanges> ranges;  ///< from --calibration
};

Numbers numbers_of(const EmbedRequest& options, const Target& target) {
  Numbers numbers{.type = api::vector_type_named(options.type), .ranges = {}};
  if (!options.calibration.empty()) {
    if (!api::needs_ranges(numbers.type)) {
      throw api::UsageError("calibration", "expected --dtype int8 or uint8 with it, got " + options.type);
    }
    numbers.ranges = api::read_ranges(options.calibration);
  }
  api::require_ranges(target.path, target.format, numbers.type, numbers.ranges);
  return numbers;
}

/// Few vectors have ranges that others leave.
void report_ranges(const api::EmbeddingFile& file, const std::optional<api::VectorRanges>& given,
                   const Target& target) {
  const auto& ranges = file.own_ranges() ? file.own_ranges() : given;
  // Two rows may be the least and the largest values of any number.
  if (!ranges || ranges->vectors >= kFewForRanges || (given && given->vectors == 2)) return;
  terminal::print_to_stderr(
      "the steps of {} come from {} alone: {}", target.path, terminal::counted(ranges->vectors, "vector"),
      given ? "values beyond theirs take the first step or the last" : "--calibration takes more");
}

/// The file and the files that belong to it.
std::string file_names(const Target& target) {
  std::string names = target.path;
  if (target.format != api::VectorFormat::npy || api::OutputFile::is_written_through(target.path)) return names;
  for (const auto& beside : {api::ranges_path(target.path), api::ids_path(target.path)}) {
    std::error_code unknown;
    if (std::filesystem::exists(beside, unknown)) names += ", " + beside.string();
  }
  return names;
}

/// Message for a run that ends early: what --resume can continue.
std::string what_is_kept(const api::EmbeddingFile& file, const Target& target) {
  if (target.prints) return "nothing is kept but what was printed";
  const size_t texts = file.recorded_rows();
  if (texts == 0) return "no text is finished, nothing is kept";
  return fmt::format("{} {} finished and kept; the same command with --resume goes on from there", texts,
                     texts == 1 ? "text is" : "texts are");
}

/// The texts one by one, until a stop is requested.
std::optional<text::InputRecord> next_text(InputTexts& texts, const Target& target) {
  auto record = texts.next();
  api::check_interruption();
  if (record && is_terminal(target.path) && texts.place().texts > kMostTextsOnTerminal) {
    throw api::UsageError("output", fmt::format("expected at most {} texts on a terminal, got more; -o OUT takes any "
                                                "number",
                                                kMostTextsOnTerminal));
  }
  return record;
}

/// What takes part in a run.
struct EmbedWork {
  const api::Embedder& embedder;
  InputTexts& texts;
  api::EmbeddingFile& file;
  const Target& target;
};

/// Runs all texts. If that fails or is interrupted after some were finished, says so: nothing is lost.
api::EmbedToFileReport write_all(const EmbedWork& work, size_t batch_tokens) {
  const auto& [embedder, texts, file, target] = work;
  try {
    std::optional<ProgressLine> line;
    if (!is_terminal(target.path)) line.emplace(texts);
    const auto on_progress = [&](const api::Progress& done) {
      api::check_interruption();
      if (line) line->show(done);
    };
    const auto report = api::embed_to_file(embedder, [&work] { return next_text(work.texts, work.target); }, file,
                                           {.batch_tokens = batch_tokens, .on_progress = on_progress});
    file.commit();
    return report;
  } catch (const api::TextsChanged&) {
    throw;
  } catch (const api::Error&) {
    if (file.recorded_rows() > 0) terminal::print_to_stderr("{}", what_is_kept(file, target));
    throw;
  } catch (const api::Interrupted&) {
    terminal::print_to_stderr("interrupted; {}", what_is_kept(file, target));
    throw;
  }
}

/// All that the numbers depend on but the texts.
std::vector<api::ResultSetting> settings_of(const api::Embedder& embedder, const EmbedRequest& options,
                                            const Numbers& numbers) {
  auto settings = embedder.settings();
  settings.push_back({"dtype", options.type});
  settings.push_back(
      {"calibration", numbers.ranges ? fmt::format("{:016x}", api::fingerprint(*numbers.ranges)) : "none"});
  return settings;
}

nlohmann::ordered_json to_json(const api::EmbedToFileReport& report, const api::LoadedModel& model,
                               const api::Embedder& embedder) {
  return {{"texts", report.texts},
          {"width", embedder.width()},
          {"texts_resumed", report.texts_resumed},
          {"tokens", report.count.tokens},
          {"texts_cut", report.count.texts_cut},
          {"texts_repeated", report.count.texts_repeated},
          {"texts_divided", report.count.windows.texts_divided},
          {"windows", report.count.windows.windows},
          {"max_length", embedder.limit()},
          {"precision", model.precision_description()},
          {"threads", report.threads}};
}

void run(const EmbedRequest& options) {
  const auto embed = embed_options(options.embed);
  const auto target = output_target(options);
  const auto numbers = numbers_of(options, target);
  api::end_when_interrupted(options.resume ? "interrupted; what was finished before is kept"
                                           : "interrupted; nothing was kept");
  InputTexts texts(options.input);
  const auto model = load(options.model, options.common);
  const api::Embedder embedder(model, embed);
  api::notice_interruptions();
  api::EmbeddingFile file(target.path, {.width = embedder.width(),
                                        .settings = settings_of(embedder, options, numbers),
                                        .type = numbers.type,
                                        .ranges = numbers.ranges,
                                        .finished = finished_texts(options),
                                        .existing = options.out.existing(),
                                        .format = target.format});
  if (options.resume && !file.finished()) {
    terminal::print_to_stderr("there is nothing to resume for {}: starting with the first text", target.path);
  }
  const auto report = write_all({embedder, texts, file, target}, options.batch_tokens);
  report_ranges(file, numbers.ranges, target);

  report_notices(model);
  report_fallback(model, options.embed);
  report_prompt(model, embedder, options.embed);
  report_unknown(report.count);
  report_length(report.count, embedder, options.embed);
  report_repeated(report.count);
  if (file.leaves_out_ids()) terminal::print_to_stderr("the ids are left out: a .npy in a pipe has no place for them");
  if (options.common.json && !target.prints) {
    nlohmann::ordered_json json{{"out", target.path}};
    json.update(to_json(report, model, embedder));
    return print_json(json);
  }
  if (report.texts_resumed > 0) {
    terminal::print_to_stderr("{} there already", terminal::counted(report.texts_resumed, "text") +
                                                      (report.texts_resumed == 1 ? " was" : " were"));
  }
  terminal::print_to_stderr("{}, {}, vectors of {} {}", terminal::counted(report.texts, "text"),
                            terminal::counted(report.count.tokens, "token"), embedder.width(),
                            target.prints ? "on standard output" : "in " + file_names(target));
}

}  // namespace

void add_embed(CLI::App& program) {
  auto* verb = program.add_subcommand("embed", "Write one sentence vector per text");
  const auto options = std::make_shared<EmbedRequest>();
  add_model(*verb, options->model);
  add_engine(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_output(*verb, options->out, "OUT.npy, OUT.jsonl or OUT.csv. Default and -: JSON lines on standard output");
  verb->add_option("--output-format", options->format, "The format of OUT, if its name does not say")
      ->check(terminal::one_of({"npy", "jsonl", "csv"}))
      ->option_text("npy|jsonl|csv");
  verb->add_option("--dtype", options->type,
                   "How numbers are stored. int8 and uint8: in steps from each coordinate's least value to its "
                   "largest; binary and ubinary: one bit per coordinate")
      ->check(terminal::one_of({"float32", "float16", "int8", "uint8", "binary", "ubinary"}))
      ->option_text("T=float32");
  verb->add_option("--calibration", options->calibration,
                   "With int8 and uint8: take the steps from this .npy file, of float vectors or of [2, width] least "
                   "and largest values, instead of from the vectors")
      ->option_text("FILE.npy");
  add_embed_flags(*verb, options->embed);
  verb->add_option("--batch-tokens", options->batch_tokens,
                   "Compute about N tokens at a time; the vectors do not depend on it")
      ->check(terminal::whole_number(1))
      ->option_text("N=16384");
  auto* resume =
      verb->add_flag("--resume", options->resume, "Continue an interrupted run with the same texts and options");
  verb->add_flag("--restart", options->restart, "Discard what an interrupted run has finished")->excludes(resume);
  add_common(*verb, options->common);
  verb->footer(
      "Example:\n  summand embed --model DIR sentences.txt -o vectors.npy\n"
      "  summand embed --model DIR --text 'a query'\n"
      "  summand embed --model DIR books.jsonl -o vectors.npy --windows mean --overlap 32");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
