#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "io/safetensors_writer.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/subject/table_of.hpp"
#include "model/heads.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"
#include "tests/lab/planted_subject.hpp"

/// Checkpoints with heads, any of whose parameters may be changed.
namespace planted {

/// Random parameters, to be changed before the checkpoint is written.
struct Parameters {
  summand::model::Config config;
  summand::model::Weights weights;

  /// Every tensor whose name ends so.
  void change(const std::string& ending, const std::function<void(summand::lab::Table&)>& how) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : weights) {
      if (name.ends_with(ending)) names.push_back(name);
    }
    REQUIRE_FALSE(names.empty());
    for (const auto& name : names) {
      summand::lab::Table table = summand::lab::table_of(weights.at(name));
      how(table);
      const auto values = summand::model::to_floats(summand::lab::tensor_of(table));
      weights.set(name, summand::model::make_tensor(weights.at(name).shape, values));
    }
  }
};

/// Two layers, hidden 32, 40 positions; texts in its words.
inline summand::lab::Subject model_checkpoint(const summand::model::ModelParts& parts,
                                              const std::function<void(Parameters&)>& plant) {
  using namespace summand;
  namespace fs = std::filesystem;
  const test::TinyDirectory directory("weights");
  write_texts(directory);
  Parameters parameters{
      .config = test::config_of(
          {.hidden = 32, .heads = 4, .intermediate = 64, .positions = 40, .vocabulary = 5 + int64_t{kWords}}),
      .weights = {}};
  parameters.weights = test::random_weights(parameters.config, parts, 5);
  plant(parameters);
  directory.write("config.json", model::to_json(parameters.config));
  io::write_safetensors(fs::path(directory.name()) / "model.safetensors", parameters.weights);
  return lab::load_subject(directory.name(), fs::path(directory.name()) / "corpus.jsonl", 1);
}

}  // namespace planted
