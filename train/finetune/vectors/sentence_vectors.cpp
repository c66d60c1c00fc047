#include "train/finetune/vectors/sentence_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/sentence_pooling.hpp"
#include "train/finetune/vectors/module_activation.hpp"

namespace summand::train {

namespace {

constexpr double kLeastNorm = 1e-12;  // of torch.nn.functional.normalize

/// Calls with the name and the tensor of everything that a module learns.
template <class Step, class Use>
void visit_tensors(Step& step, const Use& use) {
  if (auto* dense = std::get_if<model::Dense>(&step)) {
    use("linear.weight", dense->weight);
    if (dense->bias) use("linear.bias", *dense->bias);
    if (dense->projection) use("residual.weight", *dense->projection);
  }
  if (auto* norm = std::get_if<model::VectorNorm>(&step)) {
    use("norm.weight", norm->weight);
    use("norm.bias", norm->bias);
  }
}

/// One text's tokens to one vector.
/// @param states  hidden states of its tokens, [length, hidden] each, the last layer last
at::Tensor pooled_text(model::Pooling pooling, const std::vector<at::Tensor>& states) {
  const at::Tensor& last = states.back();
  const auto length = static_cast<double>(last.size(0));
  switch (pooling) {
    case model::Pooling::cls:
      return last.select(0, 0);
    case model::Pooling::last_token:
      return last.select(0, -1);
    case model::Pooling::mean:
      return last.mean(0);
    case model::Pooling::mean_sqrt_length:
      return last.sum(0) / std::sqrt(length);
    case model::Pooling::weighted_mean: {
      const at::Tensor places = at::arange(1, last.size(0) + 1, last.options());
      return at::matmul(places, last) / (length * (length + 1) / 2);
    }
    case model::Pooling::max:
      return std::get<0>(last.max(0));
    case model::Pooling::last_four_mean:
      return at::stack(states).mean(at::IntArrayRef{0, 1});
    case model::Pooling::last_four_concat:
      return at::stack(states).mean(1).flatten();
  }
  __builtin_unreachable();
}

at::Tensor pooled(model::Pooling pooling, const Pass& pass, const model::Batch& batch) {
  std::vector<int64_t> lengths;
  for (size_t text = 0; text < batch.texts(); ++text) lengths.push_back(static_cast<int64_t>(batch.length(text)));
  std::vector<std::vector<at::Tensor>> layers;  // [layers][texts]
  const size_t count = pass.hidden_states.size();
  for (size_t layer = count - model::layers_read(pooling); layer < count; ++layer) {
    const at::Tensor& states = pass.hidden_states[layer];
    const at::Tensor exact = states.scalar_type() == at::kDouble ? states : states.to(at::kFloat);
    layers.push_back(exact.split_with_sizes(lengths, 0));
  }
  std::vector<at::Tensor> vectors;
  for (size_t text = 0; text < batch.texts(); ++text) {
    std::vector<at::Tensor> states;
    for (const auto& layer : layers) states.push_back(layer[text]);
    vectors.push_back(pooled_text(pooling, states));
  }
  return at::stack(vectors);
}

/// A module with its parameters.
class AppliedStep {
 public:
  AppliedStep(const Network& network, std::string folder) : network_(network), folder_(std::move(folder)) {}

  at::Tensor operator()(const model::Dense& dense, const at::Tensor& rows) const {
    const auto bias = dense.bias ? std::optional(parameter("linear.bias")) : std::nullopt;
    const at::Tensor result = activated(dense.activation, at::linear(rows, parameter("linear.weight"), bias));
    switch (dense.residual) {
      case model::Residual::none:
        return result;
      case model::Residual::input:
        return result + rows;
      case model::Residual::projected:
        return result + at::linear(rows, parameter("residual.weight"));
    }
    __builtin_unreachable();
  }
  at::Tensor operator()(const model::VectorNorm&, const at::Tensor& rows) const {
    return at::layer_norm(rows, {rows.size(-1)}, parameter("norm.weight"), parameter("norm.bias"),
                          model::VectorNorm::kEpsilon);
  }
  at::Tensor operator()(const model::Normalize&, const at::Tensor& rows) const {
    return rows / rows.norm(2, {-1}, true).clamp_min(kLeastNorm);
  }

 private:
  [[nodiscard]] const at::Tensor& parameter(std::string_view name) const {
    return network_.parameters().at(fmt::format("{}/{}", folder_, name));
  }

  const Network& network_;
  std::string folder_;
};

struct KindName {
  std::string_view operator()(const model::Dense&) const { return "Dense"; }
  std::string_view operator()(const model::VectorNorm&) const { return "LayerNorm"; }
  std::string_view operator()(const model::Normalize&) const { return "Normalize"; }
};

}  // namespace

std::string module_folder(const model::SentenceModules& modules, size_t step) {
  constexpr size_t kBefore = 2;  // Transformer and Pooling
  return fmt::format("{}_{}", step + kBefore, std::visit(KindName(), modules.steps[step]));
}

std::vector<model::Parameter> module_parameters(const model::SentenceModules& modules) {
  std::vector<model::Parameter> parameters;
  for (size_t step = 0; step < modules.steps.size(); ++step) {
    visit_tensors(modules.steps[step], [&](std::string_view name, const model::Tensor& tensor) {
      parameters.push_back({.name = fmt::format("{}/{}", module_folder(modules, step), name),
                            .shape = tensor.shape,
                            .part = model::ParameterGroup::heads});
    });
  }
  return parameters;
}

model::Weights module_weights(const model::SentenceModules& modules) {
  model::Weights weights;
  for (size_t step = 0; step < modules.steps.size(); ++step) {
    visit_tensors(modules.steps[step], [&](std::string_view name, const model::Tensor& tensor) {
      weights.set(fmt::format("{}/{}", module_folder(modules, step), name), tensor);
    });
  }
  return weights;
}

size_t vector_width(const model::SentenceModules& modules, size_t hidden) {
  size_t width = 0;
  for (const auto pooling : modules.pooling) {
    width += hidden * (pooling == model::Pooling::last_four_concat ? model::layers_read(pooling) : 1);
  }
  for (const model::Dense* dense : model::dense_steps(modules)) width = dense->weight.shape[0];
  return width;
}

at::Tensor sentence_vectors(const model::SentenceModules& modules, const Network& network, const Pass& pass,
                            const model::Batch& batch) {
  std::vector<at::Tensor> side_by_side;
  for (const auto pooling : modules.pooling) side_by_side.push_back(pooled(pooling, pass, batch));
  at::Tensor rows = at::cat(side_by_side, 1);
  for (size_t step = 0; step < modules.steps.size(); ++step) {
    const AppliedStep apply(network, module_folder(modules, step));
    rows = std::visit([&](const auto& module) { return apply(module, rows); }, modules.steps[step]);
  }
  return rows;
}

}  // namespace summand::train
