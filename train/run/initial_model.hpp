#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/parameter.hpp"
#include "model/weights.hpp"

namespace summand::train {

/// The model as it is before the first step.
struct InitialModel {
  model::Config config;
  model::ModelParts parts;
  model::Weights weights;
  std::vector<model::Parameter> more = {};  ///< of modules behind the model, such as sentence-transformers' Dense
  std::string init_hash = {};               ///< of the checkpoint that it goes on with: of every number in it
  std::vector<std::string> notices = {};    ///< parts of that checkpoint left out, and parts drawn
};

/// Of every number.
[[nodiscard]] std::string hash_of_weights(const model::Weights& weights);

/// Draws the parameters that the weights lack, such as a head.
void draw_missing(InitialModel& model, uint64_t seed);

/// Checks settings that only training reads. @throws ConfigError naming the key
void check_trainable(const model::Config& config, const std::string& where);

/// "pooler, next sentence head": what one has and the other has not.
[[nodiscard]] std::string parts_beyond(const model::ModelParts& one, const model::ModelParts& other);

}  // namespace summand::train
