// summand-train: trains models. `summand pretrain` runs it.
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "cli/command_line.hpp"
#include "train/bounded_memory.hpp"
#include "train/pretrain_command.hpp"

namespace {

using namespace summand;

constexpr int kBadInput = 1;
constexpr int kBadUsage = 2;

int complain(const char* message, int status) {
  std::fprintf(stderr, "summand: %s\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  train::bound_memory();
  CLI::App program("Trains models", "summand");
  program.require_subcommand(1);
  train::PretrainCommand pretraining;
  const auto* pretrain = train::add_pretrain_command(program, pretraining);
  cli::tighten_options(program);
  try {
    program.parse(argc, argv);
    for (int i = 0; i < argc; ++i) pretraining.words.emplace_back(i == 0 ? "summand" : argv[i]);
    return train::run_pretrain_command(pretraining);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "summand: [command line] pretrain: %s; see summand pretrain --help\n",
                 cli::complaint_of_verb(*pretrain, error).c_str());
    return kBadUsage;
  } catch (const UsageError& error) {
    return complain(error.what(), kBadUsage);
  } catch (const Interrupted& interrupted) {
    std::fputs("summand: interrupted before a step; what was saved stays\n", stderr);
    constexpr int kSignalled = 128;
    return kSignalled + interrupted.signal;
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return complain(("[libtorch] " + text.substr(0, text.find('\n'))).c_str(), kBadInput);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(IoError(path_text(error.path1()), error.code().message()).what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("[memory] there is not enough memory for this", kBadInput);
  } catch (const std::exception& error) {
    return complain(error.what(), kBadInput);
  }
}
