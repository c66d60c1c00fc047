#include "lab/run_facts.hpp"

#include <fmt/format.h>

#include <Eigen/Core>

#include "base/paths.hpp"
#include "lab/statistics/boosted_trees.hpp"
#include "summand/version.hpp"

namespace summand::lab {

RunFacts facts_of(const Subject& subject, const LaboratoryOptions& options, const std::string& command) {
  RunFacts facts;
  facts.checkpoint = subject.name;
  facts.path = path_text(subject.path);
  facts.checkpoint_hash = fmt::format("{:016x}", subject.hash);
  const auto size = [&](const char* name, auto number) { facts.sizes.emplace_back(name, fmt::format("{}", number)); };
  if (subject.model) {
    const auto& config = subject.model->config();
    size("layers", config.num_hidden_layers);
    size("hidden", config.hidden_size);
    size("heads", config.num_attention_heads);
    size("vocabulary", config.vocab_size);
    size("positions", config.max_position_embeddings);
    size("segments", config.type_vocab_size);
    facts.corpus = subject.corpus.name;
    facts.corpus_hash = fmt::format("{:016x}", subject.corpus.hash);
  } else {
    size("positions", subject.positions.rows());
    size("coordinates", subject.positions.cols());
  }
  facts.seed = options.seed;
  facts.quick = options.quick;
  facts.versions = {{"summand", std::string(version())},
                    {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
                    {"xgboost", xgboost_version()}};
  facts.command = command;
  return facts;
}

}  // namespace summand::lab
