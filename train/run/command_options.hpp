#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/enum_names.hpp"
#include "terminal/option_validators.hpp"
#include "train/run/learning_options.hpp"

namespace summand::train {

/// Adds options to a verb; --help shows each with the value that it has then.
class CommandOptions {
 public:
  /// @param verb  outlives this object
  explicit CommandOptions(CLI::App& verb) : verb_(verb) {}

  /// A whole number.
  template <class Number>
  void number(const char* name, Number& value, uint64_t least, const char* help) {
    verb_.add_option(name, value, help)->check(terminal::whole_number(least))->option_text(fmt::format("N={}", value));
  }
  void real(const char* name, double& value, const char* help) {
    verb_.add_option(name, value, help)->option_text(fmt::format("X={}", value));
  }
  /// One of an enumeration's names.
  template <class Enum>
  CLI::Option* choice(const char* name, std::string& value, Enum, const char* help) {
    std::vector<std::string> words;
    for (const auto& entry : enum_names(Enum{})) words.emplace_back(entry.name);
    const std::string shown = fmt::format("{}={}", fmt::join(words, "|"), value);
    return verb_.add_option(name, value, help)->check(terminal::one_of(std::move(words)))->option_text(shown);
  }
  /// Learning rate, weight decay and what else AdamW reads, and clipping.
  void learning(LearningOptions& options);
  /// --new-rows, by a name of NewRows.
  CLI::Option* new_rows(std::string& value);
  /// --seed and --threads.
  void seed_and_threads(uint64_t& seed, int& threads);

 private:
  CLI::App& verb_;
};

/// Sets what CLI11 has checked to be one of the names.
template <class Enum>
void set(Enum& value, const std::string& name) {
  value = model::value_named<Enum>(name).value();
}

/// A command line as a shell reads it.
[[nodiscard]] std::string quoted_command(const std::vector<std::string>& words);

}  // namespace summand::train
