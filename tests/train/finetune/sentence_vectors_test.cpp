#include "train/finetune/vectors/sentence_vectors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/sentence_pooling.hpp"
#include "support/random_model.hpp"
#include "train/finetune/vectors/dense_module.hpp"
#include "train/finetune/vectors/module_activation.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

namespace summand {

namespace {

using model::Pooling;
using Vector = std::vector<double>;

const train::Placement kDoubles{.type = at::kDouble};
constexpr double kRounding = 1e-12;
constexpr double kSingle = 2e-6;  // model::activate() rounds to single precision

Vector numbers(const at::Tensor& tensor) {
  const at::Tensor own = tensor.detach().to(at::kDouble).contiguous();
  return {own.const_data_ptr<double>(), own.const_data_ptr<double>() + own.numel()};
}

double apart(const Vector& left, const Vector& right) {
  REQUIRE(left.size() == right.size());
  double worst = 0;
  for (size_t i = 0; i < left.size(); ++i) worst = std::max(worst, std::abs(left[i] - right[i]));
  return worst;
}

/// W·x + b, by hand.
Vector linear(const model::Tensor& weight, const std::optional<model::Tensor>& bias, const Vector& in) {
  const auto numbers = model::to_floats(weight);
  Vector out(weight.shape[0]);
  for (size_t row = 0; row < out.size(); ++row) {
    out[row] = bias ? double{model::to_floats(*bias)[row]} : 0;
    for (size_t column = 0; column < in.size(); ++column) out[row] += numbers[row * in.size() + column] * in[column];
  }
  return out;
}

Vector normalised(Vector vector) {
  double squares = 0;
  for (const double x : vector) squares += x * x;
  for (double& x : vector) x /= std::sqrt(squares);
  return vector;
}

Vector layer_norm(const model::VectorNorm& norm, Vector vector) {
  const auto count = static_cast<double>(vector.size());
  double mean = 0, variance = 0;
  for (const double x : vector) mean += x / count;
  for (const double x : vector) variance += (x - mean) * (x - mean) / count;
  for (size_t i = 0; i < vector.size(); ++i) {
    vector[i] =
        (vector[i] - mean) / std::sqrt(variance + model::VectorNorm::kEpsilon) * model::to_floats(norm.weight)[i] +
        model::to_floats(norm.bias)[i];
  }
  return vector;
}

struct Subject {
  model::Config config = test::config_of({.hidden = 12, .heads = 3, .intermediate = 20, .layers = 4, .positions = 24});
  model::Batch batch = test::random_batch(config, {5, 1, 24, 9}, 77);

  [[nodiscard]] train::Network network(const model::SentenceModules& modules) const {
    model::Weights weights = test::random_weights(config, model::Pooler::absent, 3);
    for (const auto& [name, tensor] : train::module_weights(modules)) weights.set(name, tensor);
    return {config, {}, weights, kDoubles, train::module_parameters(modules)};
  }
};

/// A text's hidden states by model::pool(), the definition that the engine shares.
Vector pooled(const std::vector<Pooling>& poolings, const train::Pass& pass, const model::Batch& batch, size_t text) {
  std::vector<Vector> states;
  for (const auto& layer : pass.hidden_states) {
    states.push_back(
        numbers(layer.narrow(0, static_cast<int64_t>(batch.offsets[text]), static_cast<int64_t>(batch.length(text)))));
  }
  std::vector<MatrixView<const double>> views;
  for (const auto& state : states) {
    views.emplace_back(state.data(), batch.length(text), state.size() / batch.length(text));
  }
  Vector vector;
  for (const Pooling pooling : poolings) model::pool<double>(pooling, views, 0, vector);
  return vector;
}

}  // namespace

TEST_CASE("every pooling is the engine's, of texts from one token to the longest, alone and side by side") {
  const Subject subject;
  std::vector<std::vector<Pooling>> choices;
  for (const auto& [pooling, name] : enum_names(Pooling{})) choices.push_back({pooling});
  choices.push_back({Pooling::max, Pooling::cls, Pooling::mean});
  for (const auto& poolings : choices) {
    CAPTURE(model::name_of(poolings[0]));
    model::SentenceModules modules;
    modules.pooling = poolings;
    const train::Network network = subject.network(modules);
    const train::Pass pass = network.run(subject.batch);
    const at::Tensor got = train::sentence_vectors(modules, network, pass, subject.batch);
    for (size_t text = 0; text < subject.batch.texts(); ++text) {
      const Vector want = pooled(poolings, pass, subject.batch, text);
      CHECK(apart(numbers(got[static_cast<int64_t>(text)]), want) < kRounding);
      CHECK(train::vector_width(modules, 12) == want.size());
    }
  }
}

TEST_CASE("the modules behind the pooling are their formulas, and their parameters are the network's") {
  const Subject subject;
  model::Dense with_residual = train::draw_dense(7, 7, model::TorchActivation::identity, 2);
  with_residual.residual = model::Residual::input;
  model::Dense projected = train::draw_dense(7, 5, model::TorchActivation::relu, 4);
  projected.residual = model::Residual::projected;
  projected.projection = train::draw_dense(7, 5, model::TorchActivation::identity, 5).weight;
  projected.bias.reset();
  const model::VectorNorm norm{.weight = model::make_tensor({7}, std::vector<float>{1, 2, .5, 1, 3, 1, -1}),
                               .bias = model::make_tensor({7}, std::vector<float>{0, .1F, 0, 0, -.2F, 0, 1})};
  const model::Dense first = train::draw_dense(12, 7, model::TorchActivation::tanh, 1);
  model::SentenceModules modules;
  modules.steps = {first, norm, with_residual, model::Normalize(), projected};
  CHECK(train::vector_width(modules, 12) == 5);
  CHECK(train::module_folder(modules, 1) == "3_LayerNorm");
  const train::Network network = subject.network(modules);
  CHECK(network.parameters().find("2_Dense/linear.weight") != nullptr);
  CHECK(network.parameters().find("6_Dense/linear.bias") == nullptr);
  const train::Pass pass = network.run(subject.batch);
  const at::Tensor got = train::sentence_vectors(modules, network, pass, subject.batch);
  for (size_t text = 0; text < subject.batch.texts(); ++text) {
    Vector want = linear(first.weight, first.bias, pooled({Pooling::mean}, pass, subject.batch, text));
    for (double& x : want) x = std::tanh(x);
    want = layer_norm(norm, want);
    const Vector more = linear(with_residual.weight, with_residual.bias, want);
    for (size_t i = 0; i < want.size(); ++i) want[i] += more[i];
    want = normalised(want);
    Vector last = linear(projected.weight, std::nullopt, want);
    const Vector residual = linear(*projected.projection, std::nullopt, want);
    for (size_t i = 0; i < last.size(); ++i) last[i] = std::max(0.0, last[i]) + residual[i];
    CHECK(apart(numbers(got[static_cast<int64_t>(text)]), last) < kRounding);
  }
  got.square().sum().backward();
  for (const auto& parameter : train::module_parameters(modules)) {
    CAPTURE(parameter.name);
    CHECK(network.parameters().at(parameter.name).grad().abs().sum().item<double>() > 0);
  }
}

TEST_CASE("every activation is the engine's, on both sides of each of its bends") {
  const std::vector<float> places{-30, -7,    -3.5, -2.9F, -1.1F, -.6F, -.4F, -1e-3F,
                                  0,   1e-3F, .4F,  .6F,   1.1F,  2.9F, 6.5,  21};
  for (const auto& [activation, name] : enum_names(model::TorchActivation{})) {
    CAPTURE(name);
    std::vector<float> want = places;
    model::activate(activation, want);
    const at::Tensor got = train::activated(activation, at::tensor(places, at::kDouble).unsqueeze(0));
    const Vector own = numbers(got);
    for (size_t i = 0; i < want.size(); ++i) {
      CHECK(std::abs(own[i] - want[i]) <= kSingle * std::max(1.0, std::abs(own[i])));
    }
  }
}

TEST_CASE("a new dense module is drawn evenly between plus and minus one over the root of its width") {
  const model::Dense dense = train::draw_dense(16, 400, model::TorchActivation::identity, 9);
  const auto numbers = model::to_floats(dense.weight);
  CHECK(dense.weight.shape == std::vector<size_t>{400, 16});
  CHECK(dense.bias->shape == std::vector<size_t>{400});
  double squares = 0;
  for (const float number : numbers) {
    REQUIRE(std::abs(number) <= 0.25);
    squares += double{number} * number;
  }
  // The variance of a uniform number is its range's square over 12; 6,400 draws come within 3 %.
  CHECK(squares / static_cast<double>(numbers.size()) == doctest::Approx(0.25 / 12).epsilon(0.03));
  const auto again = model::to_floats(train::draw_dense(16, 400, model::TorchActivation::tanh, 9).weight);
  CHECK(numbers == again);
  CHECK(numbers != model::to_floats(train::draw_dense(16, 400, model::TorchActivation::tanh, 10).weight));
}

}  // namespace summand
