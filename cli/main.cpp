#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/base_names.hpp"
#include "cli/verbs.hpp"
#include "summand/version.hpp"
#include "terminal/command_line.hpp"
#include "terminal/run_program.hpp"

namespace {

void parse(CLI::App& program, std::vector<std::string> words) {
  std::ranges::reverse(words);  // CLI11 takes the last first
  program.parse(std::move(words));
}

/// Empty where help or the version was asked for.
std::string complaint(const CLI::App& program, const CLI::ParseError& error) {
  const bool answered = dynamic_cast<const CLI::Success*>(&error) != nullptr;  // --help, --version
  return answered && program.remaining().empty() ? "" : summand::terminal::complaint(program, error);
}

}  // namespace

int main(int argc, char** argv) {
  summand::api::end_when_interrupted("interrupted; nothing was kept");
  CLI::App program("summand: BERT in C++, exact and batch-invariant", "summand");
  program.set_version_flag("-V,--version", std::string(summand::version()));
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  summand::cli::add_embed(program);
  summand::cli::add_search(program);
  summand::cli::add_similarity(program);
  summand::cli::add_fill_mask(program);
  summand::cli::add_next_sentence(program);
  summand::cli::add_classify(program);
  summand::cli::add_rerank(program);
  summand::cli::add_tag(program);
  summand::cli::add_answer(program);
  summand::cli::add_parts(program);
  summand::cli::add_hidden(program);
  summand::cli::add_tokenize(program);
  summand::cli::add_inspect(program);
  summand::cli::add_verify(program);
  summand::cli::add_quantize(program);
  summand::cli::add_fold(program);
  summand::cli::add_vocab(program);
  summand::cli::add_pretrain(program);
  summand::cli::add_finetune(program);
  summand::cli::add_study(program);
  summand::cli::add_runs(program);
  summand::cli::add_lab(program);
  summand::cli::add_serve(program);
  summand::cli::add_bench(program);
  summand::cli::add_info(program);
  summand::terminal::add_option_checks(program);
  return summand::terminal::run_program(
      program,
      [&] {
        parse(program, summand::terminal::command_words(argc, argv));
        return 0;
      },
      [&](const CLI::ParseError& error) { return complaint(program, error); });
}
