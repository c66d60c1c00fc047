#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/error.hpp"
#include "api/interruption.hpp"
#include "cli/command_line.hpp"
#include "cli/standard_output.hpp"
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

/// Of a reader that has gone nothing is said: other programs end silently then, with the signal's status.
int complain_of_output(const char* message) {
  return summand::cli::reader_is_gone() ? kSignalled + SIGPIPE : complain(message, kBadInput);
}

void parse(CLI::App& program, std::vector<std::string> words) {
  std::ranges::reverse(words);  // CLI11 takes the last first
  program.parse(std::move(words));
}

int run(CLI::App& program, const std::vector<std::string>& words) {
  constexpr const char* kNotWritten = "[standard output] cannot be written";
  try {
    parse(program, words);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return complain_of_output(kNotWritten);
    return 0;
  } catch (const CLI::ParseError& error) {
    const bool answered = dynamic_cast<const CLI::Success*>(&error) != nullptr;  // --help, --version
    if (answered && program.remaining().empty()) return program.exit(error);
    std::fprintf(stderr, "summand: [command line] %s\n", summand::cli::complaint(program, error).c_str());
    return kBadUsage;
  } catch (const summand::api::Interrupted& interrupted) {
    return kSignalled + interrupted.signal;
  } catch (const summand::api::UsageError& error) {
    return complain(error.what(), kBadUsage);
  } catch (const summand::api::Error& error) {
    const std::string_view message = error.what();
    const bool output = message.starts_with("[standard output]") || message.starts_with("[/dev/stdout]");
    return output ? complain_of_output(error.what()) : complain(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("[memory] there is not enough memory for this", kBadInput);
  } catch (const std::system_error& error) {
    // What fmt throws; files of the program's own throw IoError.
    return std::ferror(stdout) != 0 ? complain_of_output(kNotWritten) : complain(error.what(), kBadInput);
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
  summand::cli::add_runs(program);
  summand::cli::add_lab(program);
  summand::cli::add_bench(program);
  summand::cli::add_info(program);
  summand::cli::tighten_options(program);
  return run(program, summand::cli::words_of(argc, argv));
}
