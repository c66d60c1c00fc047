#include "train/run/first_values.hpp"

#include <fmt/format.h>

#include <array>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/matrix.hpp"
#include "model/initialise.hpp"

namespace summand::train {

namespace {

constexpr uint64_t kOtherSeed = 1'000'003;  // added to the seed of a model that is drawn anew

/// [I I I], [hidden, 3·hidden].
model::Tensor three_identities(size_t hidden) {
  std::vector<float> values(hidden * 3 * hidden, 0);
  for (size_t row = 0; row < hidden; ++row) {
    for (size_t part = 0; part < 3; ++part) values[row * 3 * hidden + part * hidden + row] = 1;
  }
  return model::make_tensor({hidden, 3 * hidden}, values);
}

/// A row for each token, position and segment: the sum of their rows.
model::Tensor joint_table(const model::Weights& tables) {
  const auto rows = [&](const char* name) {
    return model::to_matrix<float>(tables.at(fmt::format("embeddings.{}_embeddings.weight", name)));
  };
  const Matrix<float> words = rows("word"), positions = rows("position"), segments = rows("token_type");
  std::vector<float> values;
  for (size_t word = 0; word < words.rows(); ++word) {
    for (size_t position = 0; position < positions.rows(); ++position) {
      for (size_t segment = 0; segment < segments.rows(); ++segment) {
        for (size_t column = 0; column < words.columns(); ++column) {
          values.push_back(words(word, column) + segments(segment, column) + positions(position, column));
        }
      }
    }
  }
  return model::make_tensor({words.rows() * positions.rows() * segments.rows(), words.columns()}, values);
}

/// Parameters with which the model's composition computes the sum, up to a factor, which the normalisation takes away.
void start_at_sum(InitialModel& initial, const std::string& where, uint64_t seed) {
  model::Weights& weights = initial.weights;
  const auto hidden = static_cast<size_t>(initial.config.hidden_size);
  const auto& composition = initial.config.composition;
  const auto* projection = std::get_if<model::ConcatenateProject>(&composition);
  if (projection != nullptr && *projection == model::ConcatenateProject()) {
    weights.set("embeddings.composition.projection.weight", three_identities(hidden));
  } else if (std::holds_alternative<model::JointTable>(composition)) {
    model::Config sum = initial.config;
    sum.composition = model::Sum();
    sum.position = model::LearnedPositions();
    sum.segment = model::SegmentKind::learned;
    weights.set("embeddings.word_embeddings.weight", joint_table(model::initialise(sum, initial.parts, seed)));
  } else if (std::holds_alternative<model::VectorGate>(composition) ||
             std::holds_alternative<model::ScalarGate>(composition)) {
    for (const auto* gate : {"token_gate", "position_gate", "segment_gate"}) {
      const std::string name = fmt::format("embeddings.composition.{}.weight", gate);
      const std::vector<size_t> shape = weights.at(name).shape;
      weights.set(name, model::make_tensor(shape, std::vector<float>(weights.at(name).elements(), 0)));
    }
  } else {
    throw ConfigError(where,
                      "start: expected a composition that begins as the sum (concatenate_project of whole tables, a "
                      "gate or joint_table) for sum, got another");
  }
}

}  // namespace

std::span<const model::EnumName<FirstValues>> enum_names(FirstValues) {
  static constexpr std::array names{
      model::EnumName{FirstValues::drawn, "drawn"},
      model::EnumName{FirstValues::sum, "sum"},
      model::EnumName{FirstValues::redrawn, "redrawn"},
  };
  return names;
}

void set_first_values(InitialModel& initial, FirstValues how, uint64_t seed, const std::string& where) {
  try {
    draw_missing(initial, how == FirstValues::redrawn ? seed + kOtherSeed : seed);
  } catch (const ConfigError& error) {
    throw ConfigError(where, error.what());  // the contract does not know whose configuration it is
  }
  if (how == FirstValues::sum) start_at_sum(initial, where, seed);
}

}  // namespace summand::train
