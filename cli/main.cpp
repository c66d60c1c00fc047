#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "api/error.hpp"
#include "api/interruption.hpp"
#include "cli/verbs.hpp"
#include "summand/version.hpp"

namespace {

constexpr int kBadInput = 1;
constexpr int kBadUsage = 2;
constexpr int kSignalled = 128;  // plus the signal, as shells say it

int complain(const char* message, int status) {
  std::fprintf(stderr, "summand: %s\n", message);
  return status;
}

int run(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
    if (std::fflush(stdout) != 0) return complain("[standard output] cannot be written", kBadInput);
    return 0;
  } catch (const CLI::Success& success) {
    return program.exit(success);  // --help, --version
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "summand: [command line] %s; see --help\n", error.what());
    return kBadUsage;
  } catch (const summand::api::Interrupted& interrupted) {
    return kSignalled + interrupted.signal;
  } catch (const summand::api::UsageError& error) {
    return complain(error.what(), kBadUsage);
  } catch (const summand::api::Error& error) {
    return complain(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("[memory] there is not enough memory for this", kBadInput);
  } catch (const std::exception& error) {
    return complain(error.what(), kBadInput);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error, reported like any other
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file-size limit
  summand::api::end_when_interrupted("interrupted; nothing was kept");
  CLI::App program("summand: BERT in C++, exact and batch-invariant", "summand");
  program.set_version_flag("--version", std::string(summand::version()));
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  summand::cli::add_embed(program);
  summand::cli::add_similarity(program);
  summand::cli::add_fill_mask(program);
  summand::cli::add_next_sentence(program);
  summand::cli::add_classify(program);
  summand::cli::add_rerank(program);
  summand::cli::add_tag(program);
  summand::cli::add_parts(program);
  summand::cli::add_hidden(program);
  summand::cli::add_tokenize(program);
  summand::cli::add_inspect(program);
  summand::cli::add_verify(program);
  summand::cli::add_quantize(program);
  summand::cli::add_lab(program);
  summand::cli::add_bench(program);
  summand::cli::add_info(program);
  return run(program, argc, argv);
}
