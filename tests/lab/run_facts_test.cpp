#include "lab/run/facts_of_run.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using namespace summand;

namespace {

/// What a shell takes a command for: its words, one on a line.
std::string words_in_shell(const std::string& command) {
  const std::string script = "printf '%s\\n' " + command;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(::popen(script.c_str(), "r"), ::pclose);
  std::string printed;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), piece.size(), shell.get())) printed += piece.data();
  return printed;
}

}  // namespace

TEST_CASE("the command that redoes a run has its words in a shell, whatever stands in them") {
  const std::vector<std::string> words{"summand", "lab", "--sentence", "it's a \"cat\"", "", "$HOME `id` \\ * ? #",
                                       "''",      "~"};
  std::string lines;
  for (const auto& word : words) lines += word + "\n";
  CHECK(words_in_shell(lab::command_text(words)) == lines);
  CHECK(lab::command_text(std::vector<std::string>{"lab", "it's"}) == "lab 'it'\\''s'");
}
