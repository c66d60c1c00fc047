#include "terminal/run_program.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "terminal/reader_is_gone.hpp"

namespace summand::terminal {

namespace {

constexpr int kBadInput = 1;
constexpr int kBadUsage = 2;
constexpr int kSignalled = 128;  // plus the signal, as shells say it
constexpr const char* kNotWritten = "[standard output] cannot be written";

int complain(const char* message, int status) {
  std::fprintf(stderr, "summand: %s\n", message);
  return status;
}

/// Silent if the reader has closed the pipe, as in `| head`: the usual behaviour, with the signal's status.
int output_error(const char* message) {
  return reader_is_gone() ? kSignalled + SIGPIPE : complain(message, kBadInput);
}

bool is_output_error(std::string_view message) {
  return message.starts_with("[standard output]") || message.starts_with("[/dev/stdout]");
}

}  // namespace

int run_program(const CLI::App& program, const std::function<int()>& work,
                const std::function<std::string(const CLI::ParseError&)>& complaint) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error, reported like any other
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file-size limit
  try {
    const int status = work();
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return written || status != 0 ? status : output_error(kNotWritten);
  } catch (const CLI::ParseError& error) {
    const std::string text = complaint(error);
    return text.empty() ? program.exit(error) : complain(("[command line] " + text).c_str(), kBadUsage);
  } catch (const Interrupted& interrupted) {
    return kSignalled + interrupted.signal;
  } catch (const UsageError& error) {
    return complain(error.what(), kBadUsage);
  } catch (const Error& error) {
    return is_output_error(error.what()) ? output_error(error.what()) : complain(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return complain("[memory] there is not enough memory for this", kBadInput);
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(IoError(path_text(error.path1()), error.code().message()).what(), kBadInput);
  } catch (const std::system_error& error) {
    // What fmt throws; files of the program's own throw IoError.
    return std::ferror(stdout) != 0 ? output_error(kNotWritten) : complain(error.what(), kBadInput);
  } catch (const std::exception& error) {
    return complain(error.what(), kBadInput);
  }
}

}  // namespace summand::terminal
