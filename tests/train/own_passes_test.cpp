#include <ATen/Parallel.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "model/initialise.hpp"
#include "support/random_model.hpp"
#include "train/network/autocast.hpp"
#include "train/network/dense_activation.hpp"
#include "train/network/dense_norm.hpp"
#include "train/network/products.hpp"
#include "train/network/table_rows.hpp"
#include "train/network/vocabulary_gradients.hpp"
#include "train/pretrain/objective.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

// Functions with a backward pass of our own beside libtorch's operations in double precision.

namespace summand {

namespace {

using Tensors = std::vector<at::Tensor>;
using Function = std::function<at::Tensor(const Tensors&)>;

constexpr double kSingle = 1e-5;

struct Case {
  int64_t rows, inner, columns;
};

/// One row, rows of a unit and beyond, widths that are no multiple of 16.
const std::vector<Case> kCases{{1, 3, 5}, {5, 48, 33}, {64, 67, 256}, {197, 32, 70}};

at::Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  generator.set_current_seed(seed);
  return at::randn(shape, generator, at::TensorOptions().dtype(at::kFloat));
}

/// A function's result and the gradients of its inputs, for a gradient that differs everywhere.
Tensors evaluate(const Function& function, const Tensors& inputs, at::ScalarType type, train::Precision precision) {
  Tensors own;
  for (const auto& input : inputs) own.push_back(input.to(type).detach().clone().set_requires_grad(true));
  at::Tensor result;
  {
    const train::Autocast autocast(precision, at::kCPU);
    result = function(own);
  }
  const at::Tensor gradient = random(result.sizes(), 99).to(result.scalar_type());
  result.backward(gradient);
  Tensors all{result.detach()};
  for (const auto& input : own) all.push_back(input.grad());
  return all;
}

/// The largest difference, relative to the largest number, but for numbers that cancel, as the gradient of a key's
/// bias.
double apart(const at::Tensor& got, const at::Tensor& want) {
  return ((got.to(at::kDouble) - want).abs().max() / want.abs().max().clamp_min(1e-2)).item<double>();
}

/// @param own  of fp32 parameters. @param plain  the same by libtorch's operations
void compare(const Function& own, const Function& plain, const Tensors& inputs) {
  const Tensors exact = evaluate(plain, inputs, at::kDouble, train::Precision::fp32);
  const Tensors single = evaluate(own, inputs, at::kFloat, train::Precision::fp32);
  const Tensors rounded = evaluate(own, inputs, at::kFloat, train::Precision::bf16);
  const Tensors autocast = evaluate(plain, inputs, at::kFloat, train::Precision::bf16);
  for (size_t i = 0; i < exact.size(); ++i) {
    CAPTURE(i);
    CHECK(apart(single[i], exact[i]) <= kSingle);
    CHECK(apart(rounded[i], exact[i]) <= 1.5 * apart(autocast[i], exact[i]) + 4e-3);  // half a unit of bf16
  }
}

void for_each_case(const std::function<void(const Case&)>& check) {
  for (const Case& one : kCases) {
    CAPTURE(one.rows);
    check(one);
  }
}

Tensors linear_inputs(const Case& of) {
  return {random({of.rows, of.inner}, 1), random({of.columns, of.inner}, 2), random({of.columns}, 3)};
}

}  // namespace

TEST_CASE("a linear layer and its gradients are libtorch's") {
  for_each_case([](const Case& of) {
    compare([](const Tensors& in) { return train::linear(in[0], in[1], in[2]); },
            [](const Tensors& in) { return at::linear(in[0], in[1], in[2]); }, linear_inputs(of));
  });
}

TEST_CASE("GELU after it, exact and by tanh, and its gradients are libtorch's, also far from zero") {
  for (const auto activation : {model::Activation::gelu, model::Activation::gelu_tanh}) {
    for_each_case([&](const Case& of) {
      Tensors inputs = linear_inputs(of);
      inputs[2] = inputs[2] * 4;
      inputs[2][0] = -60;
      inputs[2][1] = 60;
      const std::string kind = activation == model::Activation::gelu ? "none" : "tanh";
      compare([&](const Tensors& in) { return train::dense_activation(in[0], in[1], in[2], activation); },
              [&](const Tensors& in) { return at::gelu(at::linear(in[0], in[1], in[2]), kind); }, inputs);
    });
  }
}

TEST_CASE("dropout, residual and normalisation after it and their gradients are libtorch's") {
  for (const double rate : {0.0, 0.25}) {
    for_each_case([&](const Case& of) {
      const train::DropoutMask mask = rate > 0 ? train::DropoutMask(77, rate) : train::DropoutMask();
      at::Tensor factors = at::empty({of.rows, of.columns}, at::kFloat);
      for (int64_t i = 0; i < factors.numel(); ++i) factors.view(-1)[i] = mask.factor(static_cast<uint32_t>(i));
      Tensors inputs = linear_inputs(of);
      inputs.push_back(random({of.columns}, 4));
      inputs.push_back(random({of.columns}, 5));
      inputs.push_back(random({of.rows, of.columns}, 6) + 3);
      compare(
          [&](const Tensors& in) {
            const auto both = train::dense_norm(
                in[0], {.weight = in[1], .bias = in[2], .norm_weight = in[3], .norm_bias = in[4], .epsilon = 1e-12},
                in[5], {.mask = mask});
            return both.rows * 2 + both.factors;
          },
          [&](const Tensors& in) {
            const at::Tensor dense = at::linear(in[0], in[1], in[2]);
            return 3 *
                   at::layer_norm(dense * factors.to(dense.scalar_type()) + in[5], {of.columns}, in[3], in[4], 1e-12);
          },
          inputs);
    });
  }
}

TEST_CASE("rows of a table pass their gradients to it, beside those that it has") {
  const at::Tensor indices = at::tensor(std::vector<int64_t>{4, 0, 4, 9, 4}, at::kLong);
  const at::Tensor table = random({10, 7}, 1).set_requires_grad(true);
  const at::Tensor gradient = random({5, 7}, 2);
  const at::Tensor want = at::zeros({10, 7}).index_add(0, indices, gradient);
  const at::Tensor rows = train::table_rows(table, indices);
  CHECK(rows.equal(table.detach().index_select(0, indices)));
  rows.backward(gradient);
  CHECK((table.grad() - want).abs().max().item<double>() <= 1e-6);
  const void* const place = table.grad().const_data_ptr();
  train::table_rows(table, indices).backward(gradient);
  CHECK((table.grad() - 2 * want).abs().max().item<double>() <= 1e-6);
  CHECK(table.grad().const_data_ptr() == place);
}

TEST_CASE("cross-entropies over a vocabulary and their gradients are libtorch's, in one piece and in several") {
  constexpr int64_t kHidden = 16;
  constexpr double kScale = 0.25;
  for (const auto& [rows, vocabulary] : {std::pair<int64_t, int64_t>{1, 50}, {300, 40000}, {64, 33}}) {
    CAPTURE(rows);
    for (const auto precision : {train::Precision::fp32, train::Precision::bf16}) {
      const Tensors inputs{random({rows, kHidden}, 1), random({vocabulary, kHidden}, 2), random({vocabulary}, 3)};
      const at::Tensor targets = at::arange(rows, at::kLong).remainder(vocabulary);
      Tensors exact;
      for (const auto& input : inputs) exact.push_back(input.to(at::kDouble).detach().set_requires_grad(true));
      const at::Tensor logits = at::linear(exact[0], exact[1], exact[2]);
      const at::Tensor sum = at::cross_entropy_loss(logits, targets, {}, at::Reduction::Sum);
      (2 * kScale * sum).backward();
      const at::Tensor table = inputs[1].set_requires_grad(true), bias = inputs[2].set_requires_grad(true);
      const train::Autocast autocast(precision, at::kCPU);
      train::VocabularyLoss loss;
      for (int time = 0; time < 2; ++time) {  // the second adds
        loss = train::add_vocabulary_gradients({inputs[0], table, bias}, targets, kScale);
      }
      const bool single = precision == train::Precision::fp32;
      const double tolerance = single ? kSingle : 0.02;
      CHECK(loss.sum == doctest::Approx(sum.item<double>()).epsilon(single ? 1e-6 : 5e-3));
      const auto right = static_cast<double>(logits.argmax(-1).eq(targets).sum().item<int64_t>());
      CHECK(std::abs(static_cast<double>(loss.right) - right) <= (single ? 0 : 2));
      CHECK(apart(2 * loss.of_rows.to(at::kFloat), exact[0].grad()) <= tolerance);
      CHECK(apart(table.grad(), exact[1].grad()) <= tolerance);
      CHECK(apart(bias.grad(), exact[2].grad()) <= tolerance);
    }
  }
}

TEST_CASE("of equal logits the first token is the most likely") {
  const at::Tensor table = at::zeros({40, 3}).set_requires_grad(true), bias = at::zeros({40});
  const at::Tensor targets = at::tensor(std::vector<int64_t>{0, 1, 39}, at::kLong);
  CHECK(train::add_vocabulary_gradients({at::ones({3, 3}), table, bias}, targets, 1).right == 1);
}

namespace {

/// Gradients of both losses, with dropout.
Tensors network_gradients(model::Activation activation, at::ScalarType type) {
  model::Config config = test::config_of(
      {.hidden = 12, .heads = 2, .intermediate = 20, .layers = 2, .positions = 32, .segments = 2, .vocabulary = 50});
  config.hidden_act = activation;
  config.hidden_dropout_prob = 0.2;
  const model::ModelParts parts{.pooler = model::Pooler::present,
                                .heads = {model::Head::masked_language, model::Head::next_sentence}};
  const train::Network network(config, parts, test::random_weights(config, parts, 3), {.type = type});
  train::MaskedBatch batch;
  batch.batch = test::random_batch(config, {24, 5, 1}, 7);
  batch.predicted = {0, 3, 23, 24, 29};
  batch.targets = {5, 0, 49, 7, 7};
  batch.pair_labels = {1, 0, 1};
  const train::Dropout dropout(config, 1, 2);
  const auto sums =
      train::accumulate_gradients(network, batch, {.predicted = 5, .pairs = 3}, &dropout, train::Precision::fp32);
  Tensors gradients{at::tensor(std::vector<double>{sums.masked_loss, sums.pair_loss}, at::kDouble)};
  for (const auto& [name, tensor] : network.parameters().all()) gradients.push_back(tensor.grad());
  return gradients;
}

}  // namespace

TEST_CASE("a network's gradients with dropout are those of libtorch's operations in double precision") {
  for (const auto activation :
       {model::Activation::gelu, model::Activation::gelu_tanh, model::Activation::relu, model::Activation::silu,
        model::Activation::tanh, model::Activation::linear, model::Activation::half}) {
    CAPTURE(static_cast<int>(activation));
    const Tensors single = network_gradients(activation, at::kFloat);
    const Tensors exact = network_gradients(activation, at::kDouble);
    for (size_t i = 0; i < exact.size(); ++i) {
      CAPTURE(i);
      CHECK(apart(single[i], exact[i]) <= 5e-5);  // through two layers
    }
  }
}

TEST_CASE("the same threads give the same bits") {
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const Tensors once = network_gradients(model::Activation::gelu, at::kFloat);
    const Tensors again = network_gradients(model::Activation::gelu, at::kFloat);
    for (size_t i = 0; i < once.size(); ++i) CHECK(once[i].equal(again[i]));
  }
}

}  // namespace summand
