// summand-lab: takes a checkpoint apart. `summand lab` runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base_names.hpp"
#include "api/tokenizing/encode_texts.hpp"
#include "base/file.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "lab/calibrate_command.hpp"
#include "lab/explorer/chosen_sentences.hpp"
#include "lab/own_experiment/own_experiment.hpp"
#include "lab/plant_command.hpp"
#include "lab/report/comparison_files.hpp"
#include "lab/report/report.hpp"
#include "lab/run/comparison.hpp"
#include "lab/run/comparison_text.hpp"
#include "lab/run/event_lines.hpp"
#include "lab/run/facts_of_run.hpp"
#include "lab/run/finished_run.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/run/not_shown.hpp"
#include "lab/run/terminal.hpp"
#include "lab/run/text_lines.hpp"
#include "lab/run/title.hpp"
#include "lab/subject/corpus_fields.hpp"
#include "lab/subject/subject.hpp"
#include "terminal/command_line.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/run_program.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

using namespace summand;

constexpr size_t kMostResults = size_t{64} << 20;

struct Options {
  std::string model;
  std::string table;
  std::vector<std::string> models;  // to compare
  std::vector<std::string> names;   // titles of reports
  std::string corpus;
  std::vector<std::string> sentences;
  std::vector<std::string> experiments;  // files of somebody's own
  std::vector<std::string> figures;
  std::string language = "en";
  bool json = false;
  bool events = false;
  lab::LaboratoryOptions laboratory;
};

/// Keeps memory that is given back: tables of megabytes come and go by the thousand, and new pages cost time each time.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 30;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kLarge);
#endif
}

std::vector<lab::FigureFormat> formats_of(const std::vector<std::string>& names) {
  std::vector<lab::FigureFormat> formats;
  for (const auto& name : names) formats.push_back(name == "svg" ? lab::FigureFormat::svg : lab::FigureFormat::png);
  return formats;
}

lab::Language language_of(const std::string& name) {
  return name == "zh" ? lab::Language::zh : lab::Language::en;
}

/// For a program that reads along: whole lines, at once.
void print_event(const std::string& lines) {
  std::fputs(lines.c_str(), stdout);
  std::fflush(stdout);
}

/// Shows how far a run has come, in a line and in what Ctrl-C says; to a program, in events.
class LaboratoryWatch {
 public:
  LaboratoryWatch(std::filesystem::path folder, const Options& options)
      : folder_(std::move(folder)),
        language_(language_of(options.language)),
        events_(options.events),
        line_(language_) {}
  void show(const lab::LaboratoryProgress& progress) {
    if (progress.ended != ended_) {
      ended_ = progress.ended;
      end_when_interrupted(lab::in(language_, lab::kept_words(progress.ended, progress.count, folder_)));
    }
    if (events_) tell(progress);
    line_.show(progress);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Whenever other experiments are under way, and now and then.
  void tell(const lab::LaboratoryProgress& progress) {
    constexpr std::chrono::milliseconds kBetween(200);
    const auto now = Clock::now();
    if (progress.under_way == told_ && now - last_ < kBetween) return;
    told_ = progress.under_way;
    last_ = now;
    print_event(lab::progress_line(progress));
  }

  std::filesystem::path folder_;
  lab::Language language_;
  bool events_;
  lab::LaboratoryLine line_;
  std::optional<size_t> ended_;
  std::optional<std::string> told_;
  Clock::time_point last_{};
};

/// The last word, behind a long table: what is missing there is not lost.
void tell_what_is_not_shown(const std::filesystem::path& folder, const lab::FinishedRun& finished,
                            lab::Language language) {
  const std::string text = lab::in(language, lab::not_shown_words(folder, finished.not_shown));
  if (!text.empty()) std::fprintf(stderr, "summand: %s\n", text.c_str());
}

/// Once, whatever is printed on standard output.
void warn_of_corpus(const lab::LocalizedText& warning, const Options& options, const std::string& of = "") {
  const std::string text = lab::in(language_of(options.language), warning);
  if (!text.empty()) std::fprintf(stderr, "summand: %s%s\n", of.c_str(), text.c_str());
}

/// Where a tokenizer does not do what one of its files says.
void tell_difference(const std::optional<std::string>& difference) {
  if (difference) std::fprintf(stderr, "summand: %s\n", difference->c_str());
}

/// What is wrong with the words of a command line, before anything is read.
void check_usage(const Options& options) {
  if (options.model.empty() == options.table.empty()) {
    throw api::UsageError("command line", fmt::format("expected either --model or --table, got {}; see --help",
                                                      options.model.empty() ? "neither" : "both"));
  }
  if (!options.table.empty() && !options.corpus.empty()) {
    throw api::UsageError("command line",
                          "expected --corpus beside --model, got it beside --table; a table alone reads no texts");
  }
  if (!options.table.empty() && !options.sentences.empty()) {
    throw api::UsageError("command line",
                          "expected --sentence beside --model, got it beside --table; a table alone reads no texts");
  }
  if (!options.table.empty() && !options.experiments.empty()) {
    throw api::UsageError("command line",
                          "expected --experiment beside --model, got it beside --table; it needs a model to change");
  }
  (void)lab::chosen(options.laboratory.only);  // wrong names first
  if (options.names.size() > 1) {
    throw api::UsageError(
        "command line",
        fmt::format("expected --name once, for one report, got it {} times; see --help", options.names.size()));
  }
  for (const auto& name : options.names) lab::check_title(name);
}

void run(Options& options, const std::string& command) {
  check_usage(options);
  const auto own = lab::read_own_experiments(options.experiments);
  options.laboratory.own = own;
  const auto sentences = lab::given_sentences(options.sentences);
  const auto corpus = options.corpus.empty() ? std::nullopt : std::optional<std::filesystem::path>(options.corpus);
  lab::check_fields(corpus, options.laboratory.corpus_fields);
  lab::Subject subject =
      options.table.empty()
          ? lab::load_subject(options.model, corpus, options.laboratory.corpus_fields, options.laboratory.threads)
          : lab::load_table(options.table);
  if (!options.names.empty()) subject.name = options.names.front();
  for (const auto& one : own) lab::own::check(one, subject);
  const auto& folder = options.laboratory.folder;
  const auto language = language_of(options.language);
  end_when_interrupted(lab::in(language, lab::nothing_kept_words(folder)));
  const auto lock = lab::open_folder(folder, subject);
  const lab::RunFiles files{
      .command = command, .sentences = sentences, .formats = formats_of(options.figures), .language = language};
  if (options.events) {
    options.laboratory.on_result = [](const auto& result) { print_event(lab::verdict_lines(result)); };
  }
  const auto finished = [&] {
    LaboratoryWatch watch(folder, options);
    return lab::finish_run(subject, options.laboratory, files,
                           [&](const lab::LaboratoryProgress& progress) { watch.show(progress); });
  }();
  if (options.events) {
    print_event(lab::finished_line(path_text(folder / "index.html")));
  } else if (options.json) {
    std::fputs(read_file(folder / "results.json", kMostResults).c_str(), stdout);
  } else {
    std::fputs(lab::run_text(finished, options.laboratory, language, lab::output_width()).c_str(), stdout);
  }
  if (subject.model) tell_difference(subject.model->tokenizer().difference());
  warn_of_corpus(subject.corpus.warning, options);
  tell_what_is_not_shown(folder, finished, language);
}

void compare(const Options& options, const std::string& command) {
  const auto& laboratory = options.laboratory;
  const auto corpus = options.corpus.empty() ? std::nullopt : std::optional<std::filesystem::path>(options.corpus);
  const auto language = language_of(options.language);
  end_when_interrupted(lab::in(language, lab::comparison_kept_words(laboratory.folder)));
  const auto comparison = [&] {
    lab::LaboratoryLine line(language);
    return lab::run_comparison(
        {.models = options.models, .names = options.names, .corpus = corpus, .laboratory = laboratory},
        [&](const lab::LaboratoryProgress& progress) { line.show(progress); });
  }();
  const auto& runs = comparison.runs;
  lab::write_comparison(laboratory.folder, runs, command);
  if (options.json) {
    std::fputs(read_file(laboratory.folder / "compare.json", kMostResults).c_str(), stdout);
  } else {
    std::fputs(lab::comparison_text(runs, language).c_str(), stdout);
    std::fputs("\n", stdout);
    std::fputs(lab::corpus_text(runs.front().run.facts.corpus, language, lab::output_width()).c_str(), stdout);
    std::fputs(lab::side_by_side_text(laboratory.folder / "index.html", language).c_str(), stdout);
  }
  for (const auto& model : options.models) tell_difference(api::load_tokenizer(model).difference());
  for (const auto& run : runs) warn_of_corpus(run.run.facts.corpus_warning, options, run.folder + ": ");
  for (const auto& run : runs) tell_what_is_not_shown(laboratory.folder / run.folder, run.run, language);
}

/// Of a command line that cannot be parsed, in the words of the other verbs; empty where help was asked for.
std::string complaint(const CLI::App& program, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::Success*>(&error) != nullptr) return "";
  const auto verbs = program.get_subcommands();
  const CLI::App& verb = verbs.empty() ? program : *verbs.front();
  const std::string name = verbs.empty() ? "lab" : "lab " + verb.get_name();
  return fmt::format("{}: {}; see summand {} --help", name, terminal::verb_complaint(verb, error), name);
}

std::string command_of(int argc, char** argv) {
  std::vector<std::string> words{"summand", "lab"};
  words.insert(words.end(), argv + 1, argv + argc);
  return lab::command_text(words);
}

/// What a report and a comparison are both asked with.
void add_common_options(CLI::App& program, Options& options) {
  auto& laboratory = options.laboratory;
  program.add_option("-o,--output", laboratory.folder, "Folder of the report: new, empty, or an earlier run's");
  program.add_option(
      "--corpus", options.corpus,
      "Texts for corpus-weighted numbers: english or chinese, which are built in, or a file (.txt, .jsonl, .csv, .tsv, "
      "also with .gz or .zst). Default: the built-in one of which the tokenizer knows more words");
  program.add_option("--corpus-field", laboratory.corpus_fields.text,
                     "Key or column of the corpus's texts, if it is not text");
  program.add_option("--corpus-pair-field", laboratory.corpus_fields.text_pair,
                     "Key or column of the corpus's second texts, if it is not text_pair");
  program
      .add_option("--only", laboratory.only,
                  "Run these experiments only, by name or by the id of a claim, separated by commas: clocks,3.1. The "
                  "report keeps the others that the folder has with the same settings")
      ->delimiter(',');
  program.add_flag("--quick", laboratory.quick, "Fewer draws and repetitions; the report lists what is left out");
  program.add_option("--seed", laboratory.seed, "Seed of every random draw (default: 0)")
      ->check(terminal::whole_number(0));
  program.add_option("--threads", laboratory.threads, "Threads; 0, the default: as many as quota and affinity allow")
      ->check(terminal::whole_number(0, 1024));
}

CLI::App* add_comparison(CLI::App& program, Options& options) {
  auto* comparison = program.add_subcommand("compare",
                                            "Compare several checkpoints\n"
                                            "Example: summand lab compare DIR1 DIR2 -o comparison --quick");
  comparison->add_option("models", options.models,
                         "Two or more checkpoint directories, bundled models' names, or names in the hub cache");
  add_common_options(*comparison, options);
  comparison->add_option("--language", options.language, "Language of the printed table: en, zh (default: en)")
      ->check(terminal::one_of({"en", "zh"}));
  comparison
      ->add_option(
          "--name", options.names,
          "Title of the first checkpoint's report, in place of its folder's name; repeat it for the second, and so on")
      ->allow_extra_args(false);
  comparison->add_flag("--json", options.json, "Print compare.json instead of the table");
  return comparison;
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  summand::end_when_interrupted("interrupted; nothing was kept");
  Options options;
  CLI::App program(
      "Judges every claim about token + position + segment on a checkpoint, with a null and a positive control.\n"
      "Example: summand lab --model DIR -o report --quick\n"
      "A page for one sentence at a time, which changes as you move its parts: summand lab --live --model DIR",
      "summand lab");
  auto& laboratory = options.laboratory;
  program.add_option("--model", options.model,
                     "A checkpoint directory, a bundled model's name, or a name in the hub cache");
  program.add_option("--table", options.table, "A position table instead: FILE.npy or FILE.safetensors:TENSOR");
  add_common_options(program, options);
  program.add_option("--name", options.names, "Title of the report, in place of the folder's name")
      ->allow_extra_args(false);
  program
      .add_option("--sentence", options.sentences,
                  "A sentence for the page's explorer, or a pair as 'A ||| B'; may be repeated")
      ->allow_extra_args(false);
  program
      .add_option("--experiment", options.experiments,
                  "An experiment of your own, from a JSON file; may be repeated. Without --only it runs alone")
      ->allow_extra_args(false);
  program.add_option("--figures", options.figures, "Also write figures as svg, png")
      ->delimiter(',')
      ->check(terminal::one_of({"svg", "png"}));
  program
      .add_option("--language", options.language,
                  "Language of the terminal and of those figures: en, zh (default: en); the page has both")
      ->check(terminal::one_of({"en", "zh"}));
  auto* json = program.add_flag("--json", options.json, "Print results.json instead of the summary");
  program
      .add_flag(
          "--events", options.events,
          "Print JSON lines instead, while the run goes on: its progress, and each claim's verdict as it is found")
      ->excludes(json);
  auto* list = program.add_subcommand("list", "List the experiments, what each asks, and the claims that it judges");
  list->add_option("--language", options.language, "Language: en, zh (default: en)")
      ->check(terminal::one_of({"en", "zh"}));
  list->add_flag("--json", options.json, "Print JSON: name, question and claims of each");
  const auto* comparison = add_comparison(program, options);
  lab::PlantCommand planting;
  const auto* plant = lab::add_plant_command(program, planting);
  lab::CalibrateCommand calibrating;
  const auto* calibrate = lab::add_calibrate_command(program, calibrating);
  terminal::add_option_checks(program);
  const auto work = [&] {
    program.parse(argc, argv);
    if (list->parsed()) {
      const auto language = language_of(options.language);
      std::fputs((options.json ? lab::list_json() : lab::list_text(language, lab::output_width())).c_str(), stdout);
    } else if (plant->parsed()) {
      std::fputs(lab::run_plant_command(planting).c_str(), stdout);
    } else if (calibrate->parsed()) {
      std::fputs(lab::run_calibrate_command(calibrating).c_str(), stdout);
    } else if (laboratory.folder.empty()) {
      throw api::UsageError("command line", "expected a folder for the report, -o, got none; see --help");
    } else if (comparison->parsed()) {
      compare(options, command_of(argc, argv));
    } else {
      run(options, command_of(argc, argv));
    }
    return 0;
  };
  return terminal::run_program(program, work, [&](const CLI::ParseError& error) { return complaint(program, error); });
}
