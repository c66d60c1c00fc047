#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace summand::terminal {

/// Runs a program's work. Whatever it throws becomes one line on standard error and an exit status: 1 for bad input, 2
/// for bad usage, 128 plus the signal where a signal ended it. A closed pipe and a full disk are errors like any other.
/// @param work  gives the exit status; it may throw CLI::ParseError
/// @param complaint  says what is wrong with a command line that cannot be parsed; empty: help was asked for
[[nodiscard]] int run_program(const CLI::App& program, const std::function<int()>& work,
                              const std::function<std::string(const CLI::ParseError&)>& complaint);

}  // namespace summand::terminal
