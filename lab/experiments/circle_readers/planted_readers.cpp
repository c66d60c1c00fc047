#include "lab/experiments/circle_readers/planted_readers.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lab/probing/changed_model.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/probing/results.hpp"
#include "model/parameters.hpp"

namespace summand::lab::circle_readers {

namespace {

using Eigen::Index;

constexpr double kStrength = 2;    // nats: e^4 between the same direction and the opposite one
constexpr double kWeakest = 0.25;  // of that, of the first head that reads all planes
constexpr double kLeastScale = 1e-6;

/// One linear layer that reads planes off the normalised input.
struct Reading {
  Table weight;  ///< [hidden, hidden]
  Vector bias;   ///< [hidden]
};

/// Words' normalised inputs, [words of all windows, hidden].
Table inputs_of(const engine::Engine& engine, const Windows& windows) {
  const auto& texts = windows.texts;
  const Table states = run_texts(engine, texts.batch, SentenceVector::mean).states.front();
  std::vector<Index> words;
  for (size_t t = 0; t < texts.special.size(); ++t) {
    if (!texts.special[t]) words.push_back(static_cast<Index>(t));
  }
  return states(words, Eigen::all);
}

/// The plane's axes as they appear behind the first normalisation, of such a length that words lie at a distance of 1
/// from their mean. @return [2, hidden]
Table axes_behind(const FirstNorm& norm, const Table& axes, const Table& inputs) {
  const Vector inverse =
      norm.weight.unaryExpr([](double scale) { return std::abs(scale) > kLeastScale ? 1 / scale : 0; });
  const Table behind = axes * inverse.asDiagonal();
  Table path = inputs * behind.transpose();
  path.rowwise() -= path.colwise().mean().eval();
  return behind / std::sqrt(path.squaredNorm() / static_cast<double>(path.rows()));
}

void replace_vector(ChangedModel& model, const std::string& name, const Vector& values) {
  std::vector<float> floats(static_cast<size_t>(values.size()));
  std::ranges::transform(values, floats.begin(), [](double value) { return static_cast<float>(value); });
  model.weights.set(name, model::make_tensor({floats.size()}, floats));
}

}  // namespace

engine::Engine planted_readers(const Subject& subject, const Windows& windows, std::span<const PositionPlane> planes,
                               const Table& weights) {
  ChangedModel model = changed_model(subject);
  model.config.num_hidden_layers = 1;
  model.replace_positions(subject.positions);
  const Table inputs = inputs_of(model.engine(1), windows);
  const FirstNorm norm = first_norm(subject);
  const Index hidden = inputs.cols();
  const Index size = hidden / weights.rows();
  Reading reading{.weight = Table::Zero(hidden, hidden), .bias = Vector::Zero(hidden)};
  for (size_t plane = 0; plane < planes.size(); ++plane) {
    const auto number = static_cast<Index>(plane);
    const Table axes = axes_behind(norm, planes[plane].axes, inputs);
    for (Index head = 0; head < weights.rows(); ++head) {
      // Half of the weight in the query, half in the key, and √size for what attention divides by.
      const double scale = std::sqrt(weights(head, number) * std::sqrt(static_cast<double>(size)));
      reading.weight.middleRows(head * size + 2 * number, 2) = scale * axes;
    }
  }
  reading.bias = -reading.weight * inputs.colwise().mean().transpose();
  for (const char* part : {"attention.self.query", "attention.self.key"}) {
    const std::string name = model::layer_parameter(0, part);
    model.replace(name + ".weight", reading.weight);
    replace_vector(model, name + ".bias", reading.bias);
  }
  return model.engine(1);
}

size_t readable_planes(const Subject& subject) {
  const auto& config = subject.model->config();
  return static_cast<size_t>(config.hidden_size / config.num_attention_heads / 2);
}

Table one_plane_each(size_t heads, size_t planes) {
  Table weights = Table::Zero(static_cast<Index>(heads), static_cast<Index>(planes));
  for (size_t head = 0; head < heads; ++head) {
    weights(static_cast<Index>(head), static_cast<Index>(head % planes)) = kStrength;
  }
  return weights;
}

Table all_planes_alike(size_t heads, size_t planes) {
  Table weights(static_cast<Index>(heads), static_cast<Index>(planes));
  for (Index head = 0; head < weights.rows(); ++head) {
    const double along = heads > 1 ? static_cast<double>(head) / static_cast<double>(heads - 1) : 1;
    weights.row(head).setConstant(kStrength * (kWeakest + (1 - kWeakest) * along));
  }
  return weights;
}

}  // namespace summand::lab::circle_readers
