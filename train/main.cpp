// summand-train: trains models. `summand pretrain` runs it.
#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "terminal/command_line.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/run_program.hpp"
#include "train/finetune/finetune_command.hpp"
#include "train/pretrain/pretrain_command.hpp"
#include "train/run/bounded_memory.hpp"
#include "train/study/study_command.hpp"

namespace {

using namespace summand;

/// Says what only a run of training throws in the words that every program has for errors.
template <class Command>
int run(int (*verb)(Command&), Command& command) {
  try {
    return verb(command);
  } catch (const Interrupted&) {
    terminal::print_to_stderr("interrupted before a step; what was saved stays");
    throw;
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw Error("libtorch", text.substr(0, text.find('\n')));
  }
}

/// Empty where help was asked for.
std::string complaint(const CLI::App& program, const CLI::ParseError& error) {
  const bool answered = dynamic_cast<const CLI::Success*>(&error) != nullptr;
  return answered ? "" : terminal::complaint(program, error);
}

}  // namespace

int main(int argc, char** argv) {
  train::bound_memory();
  CLI::App program("Trains models", "summand");
  program.require_subcommand(1);
  train::PretrainCommand pretraining;
  train::FinetuneCommand finetuning;
  train::StudyCommand study;
  const auto* pretrain = train::add_pretrain_command(program, pretraining);
  const auto* finetune = train::add_finetune_command(program, finetuning);
  train::add_study_command(program, study);
  terminal::add_option_checks(program);
  const auto work = [&] {
    program.parse(argc, argv);
    std::vector<std::string> words;
    for (int i = 0; i < argc; ++i) words.emplace_back(i == 0 ? "summand" : argv[i]);
    pretraining.words = finetuning.words = words;
    if (pretrain->parsed()) return run(train::run_pretrain_command, pretraining);
    if (finetune->parsed()) return run(train::run_finetune_command, finetuning);
    return run(train::run_study_command, study);
  };
  return terminal::run_program(program, work, [&](const CLI::ParseError& error) { return complaint(program, error); });
}
