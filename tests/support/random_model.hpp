#pragma once

#include <cstddef>
#include <cstdint>
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

[[nodiscard]] model::Config config_of(const Sizes& sizes);

/// Every parameter drawn: matrices with standard deviation 0.5/√in so that nothing fades or explodes, biases and tables
/// with 0.3, normalisation weights around 1.
[[nodiscard]] model::Weights random_weights(const model::Config& config, const model::ModelParts& parts, uint32_t seed);

[[nodiscard]] model::Weights random_weights(const model::Config& config, model::Pooler pooler, uint32_t seed);

/// Texts of the given lengths. Ids and segments are drawn; the first token of all has the last id and the last segment.
[[nodiscard]] model::Batch random_batch(const model::Config& config, const std::vector<size_t>& lengths, uint32_t seed);

/// One text of a batch as a batch of its own.
[[nodiscard]] model::Batch alone(const model::Batch& batch, size_t text);

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
