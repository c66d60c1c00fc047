#include "support/random_model.hpp"

#include <cmath>
#include <random>

namespace summand::test {

model::Config config_of(const Sizes& sizes) {
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

model::Weights random_weights(const model::Config& config, const model::ModelParts& parts, uint32_t seed) {
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

model::Weights random_weights(const model::Config& config, model::Pooler pooler, uint32_t seed) {
  return random_weights(config, model::ModelParts{.pooler = pooler}, seed);
}

model::Batch random_batch(const model::Config& config, const std::vector<size_t>& lengths, uint32_t seed) {
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

model::Batch alone(const model::Batch& batch, size_t text) {
  model::Batch single;
  const auto begin = static_cast<std::ptrdiff_t>(batch.offsets[text]);
  const auto end = static_cast<std::ptrdiff_t>(batch.offsets[text + 1]);
  single.ids.assign(batch.ids.begin() + begin, batch.ids.begin() + end);
  single.segments.assign(batch.segments.begin() + begin, batch.segments.begin() + end);
  single.positions.assign(batch.positions.begin() + begin, batch.positions.begin() + end);
  single.offsets.push_back(single.ids.size());
  return single;
}

}  // namespace summand::test
