#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/safetensors_writer.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"
#include "tests/lab/planted_subject.hpp"

namespace planted {

/// The sizes that a planted model chooses; its tokenizer is that of checkpoint().
inline summand::test::Sizes small_sizes() {
  return {
      .hidden = 24, .heads = 4, .intermediate = 48, .layers = 2, .positions = 48, .vocabulary = 5 + int64_t{kWords}};
}

/// A checkpoint of these weights and this configuration; a corpus in the tests' words. No text reaches what else the
/// configuration has room for.
inline summand::lab::Subject loaded(const summand::model::Config& config, const summand::model::Weights& weights) {
  using namespace summand;
  const test::TinyDirectory directory("planted_model");
  write_texts(directory, static_cast<size_t>(config.vocab_size) - 5 - kWords);
  directory.write("config.json", model::to_json(config));
  const std::filesystem::path folder(directory.name());
  io::write_safetensors(folder / "model.safetensors", weights);
  return lab::load_subject(directory.name(), folder / "corpus.jsonl", 1);
}

/// A random checkpoint of any sizes and heads, its weights changed by `plant`; a corpus in its words.
inline summand::lab::Subject model_of(const summand::test::Sizes& sizes, const summand::model::ModelParts& parts,
                                      const std::function<void(summand::model::Weights&)>& plant = {}) {
  const auto config = summand::test::config_of(sizes);
  auto weights = summand::test::random_weights(config, parts, 5);
  if (plant) plant(weights);
  return loaded(config, weights);
}

}  // namespace planted
