#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/parameters.hpp"
#include "model/position.hpp"
#include "model/weights.hpp"

namespace summand::test {

/// The sizes that a test chooses; everything else is as in BERT.
struct Sizes {
  int64_t hidden = 12;
  int64_t heads = 3;
  int64_t intermediate = 37;
  int64_t layers = 2;
  int64_t positions = 512;
  int64_t segments = 2;
  int64_t vocabulary = 97;
};

inline model::Config config_of(const Sizes& sizes) {
  model::Config config;
  config.vocab_size = sizes.vocabulary;
  config.hidden_size = sizes.hidden;
  config.num_hidden_layers = sizes.layers;
  config.num_attention_heads = sizes.heads;
  config.intermediate_size = sizes.intermediate;
  config.max_position_embeddings = sizes.positions;
  config.type_vocab_size = sizes.segments;
  return config;
}

/// Every parameter drawn: matrices with standard deviation 0.5/√in so that nothing fades or explodes, biases and tables
/// with 0.3, normalisation weights around 1.
inline model::Weights random_weights(const model::Config& config, const model::ModelParts& parts, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  model::Weights weights;
  for (const auto& parameter : model::parameters(config, parts)) {
    const bool matrix = parameter.shape.size() == 2 && parameter.part == model::ParameterGroup::encoder;
    const float deviation = matrix ? 1.0F / std::sqrt(static_cast<float>(parameter.shape[1])) : 0.3F;
    const float mean = parameter.initialiser == model::Initialiser::ones ? 1.0F : 0.0F;
    std::vector<float> values(model::elements(parameter));
    for (float& value : values) value = mean + deviation * normal(random);
    weights.set(parameter.name, model::make_tensor(parameter.shape, values));
  }
  return weights;
}

inline model::Weights random_weights(const model::Config& config, model::Pooler pooler, uint32_t seed) {
  return random_weights(config, model::ModelParts{.pooler = pooler}, seed);
}

/// Texts of the given lengths. Ids and segments are drawn; the first token of all has the last id and the last segment.
inline model::Batch random_batch(const model::Config& config, const std::vector<size_t>& lengths, uint32_t seed) {
  std::mt19937 random(seed);
  model::Batch batch;
  for (const size_t length : lengths) {
    std::vector<int32_t> ids(length);
    std::vector<int32_t> segments(length);
    const size_t boundary = length == 0 ? 0 : random() % (length + 1);  // where the second text of a pair begins
    for (size_t i = 0; i < length; ++i) {
      ids[i] = static_cast<int32_t>(random() % static_cast<uint64_t>(config.vocab_size));
      const auto segment = random() % static_cast<uint64_t>(config.type_vocab_size);
      segments[i] = i < boundary ? 0 : static_cast<int32_t>(segment);
    }
    batch.add(ids, segments);
  }
  if (batch.tokens() > 0) {
    batch.ids[0] = static_cast<int32_t>(config.vocab_size - 1);
    batch.segments[0] = static_cast<int32_t>(config.type_vocab_size - 1);
  }
  return batch;
}

/// One text of a batch as a batch of its own.
inline model::Batch alone(const model::Batch& batch, size_t text) {
  model::Batch single;
  const auto begin = static_cast<std::ptrdiff_t>(batch.offsets[text]);
  const auto end = static_cast<std::ptrdiff_t>(batch.offsets[text + 1]);
  single.ids.assign(batch.ids.begin() + begin, batch.ids.begin() + end);
  single.segments.assign(batch.segments.begin() + begin, batch.segments.begin() + end);
  single.positions.assign(batch.positions.begin() + begin, batch.positions.begin() + end);
  single.offsets.push_back(single.ids.size());
  return single;
}

/// Calls with every composition, each beside a table of positions of another kind.
template <class Use>
void for_each_composition(const model::Config& plain, Use&& use) {
  const auto compositions = model::typical_compositions(static_cast<size_t>(plain.hidden_size));
  const auto positions = model::typical_positions(plain.position_table_size());
  for (size_t i = 0; i < compositions.size() || i < positions.size(); ++i) {
    model::Config config = plain;
    config.composition = compositions[i % compositions.size()];
    config.position = positions[i % positions.size()];
    const bool fits = model::validation_error(config.position, config.position_table_size()).empty();
    if (!fits) config.position = plain.position;  // of an odd width
    use(std::as_const(config));
  }
}

}  // namespace summand::test
