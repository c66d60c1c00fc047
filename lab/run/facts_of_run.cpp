#include "lab/run/facts_of_run.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <string_view>

#include "base/paths.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/statistics/boosted_trees.hpp"
#include "lab/subject/subject.hpp"
#include "summand/version.hpp"

namespace summand::lab {

namespace {

/// Of nothing that means something to a shell.
bool is_plain(std::string_view word) {
  const auto plain = [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || std::string_view("_-./:,@%+").find(c) != std::string_view::npos;
  };
  return !word.empty() && std::ranges::all_of(word, plain);
}

/// As a shell takes it for one word: within single quotes everything stands for itself but the quote.
std::string in_quotes(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

RunFacts facts_of(const Subject& subject, const LaboratoryOptions& options, const std::string& command) {
  RunFacts facts;
  facts.checkpoint = subject.name;
  facts.path = path_text(subject.path);
  facts.checkpoint_hash = fmt::format("{:016x}", subject.hash);
  const auto size = [&](const char* name, const char* chinese, auto number) {
    facts.sizes.push_back({name, {name, chinese}, fmt::format("{}", number)});
  };
  if (subject.model) {
    const auto& config = subject.model->config();
    size("layers", "层数", config.num_hidden_layers);
    size("hidden", "隐藏宽度", config.hidden_size);
    size("heads", "头数", config.num_attention_heads);
    size("vocabulary", "词表大小", config.vocab_size);
    size("positions", "位置数", config.max_position_embeddings);
    size("segments", "句段数", config.type_vocab_size);
    facts.corpus = subject.corpus.name;
    facts.corpus_warning = subject.corpus.warning;
    facts.corpus_hash = fmt::format("{:016x}", subject.corpus.hash);
  } else {
    size("positions", "位置数", subject.positions.rows());
    size("coordinates", "维度数", subject.positions.cols());
  }
  facts.seed = options.seed;
  facts.quick = options.quick;
  facts.versions = {{"summand", std::string(version())},
                    {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
                    {"xgboost", xgboost_version()}};
  facts.command = command;
  for (const auto& experiment : experiments()) {
    for (const auto& rule : experiment.rules) facts.experiment_of.emplace(rule.claim, experiment.name);
  }
  return facts;
}

std::string command_text(std::span<const std::string> words) {
  std::string command;
  for (const auto& word : words) {
    command += (command.empty() ? "" : " ") + (is_plain(word) ? word : in_quotes(word));
  }
  return command;
}

}  // namespace summand::lab
