// summand-train: trains models. `summand pretrain` runs it.
#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <optional>
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
#include "train/run/ranks.hpp"
#include "train/study/study_command.hpp"

namespace {

using namespace summand;

/// Says what only a run of training throws in the words that every program has for errors.
template <class Work>
int run(const Work& work) {
  try {
    return work();
  } catch (const Interrupted&) {
    terminal::print_to_stderr("interrupted before a step; what was saved stays");
    throw;
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw Error("libtorch", text.substr(0, text.find('\n')));
  }
}

/// Work of one of several processes, which fail together: one of them says why.
template <class Work>
int run_as_rank(train::Ranks& ranks, const Work& work) {
  try {
    return work();
  } catch (const CLI::Success&) {  // help was asked for
    throw;
  } catch (...) {
    if (ranks.may_complain()) throw;
    return 1;
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
  const auto train = [&](train::Ranks& ranks) {
    program.parse(argc, argv);
    std::vector<std::string> words;
    for (int i = 0; i < argc; ++i) words.emplace_back(i == 0 ? "summand" : argv[i]);
    pretraining.words = finetuning.words = words;
    if (pretrain->parsed()) return train::run_pretrain_command(pretraining, ranks);
    if (finetune->parsed()) return train::run_finetune_command(finetuning, ranks);
    if (!ranks.is_alone()) {
      throw UsageError("study", "expected one process, got " + std::to_string(ranks.size()));
    }
    return train::run_study_command(study);
  };
  std::optional<train::Ranks> ranks;  // until the complaint is written
  const auto work = [&] {
    ranks.emplace(train::Ranks::from_environment());
    return run([&] { return run_as_rank(*ranks, [&] { return train(*ranks); }); });
  };
  return terminal::run_program(program, work, [&](const CLI::ParseError& error) { return complaint(program, error); });
}
