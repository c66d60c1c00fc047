#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/weights.hpp"
#include "train/network/tensors.hpp"

namespace summand::train {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;  ///< of matrices only, not of biases and normalisations

  bool operator==(const AdamWOptions&) const = default;
};

/// A parameter's share of the learning rate, by its name.
using RateFactor = std::function<double(const std::string& name)>;

/// Adam with decoupled weight decay, by libtorch's fused kernel.
/// Source: Loshchilov & Hutter 2019, algorithm 2; what decays: google-research/bert, optimization.py
class AdamW {
 public:
  /// @param parameters  outlive this object; those without gradients stay unchanged
  /// @param rate  empty: 1 for all
  AdamW(const Parameters& parameters, const AdamWOptions& options, const RateFactor& rate = {});

  /// Updates every parameter.
  void step(double learning_rate);
  /// Clears all gradients.
  void clear_gradients();

  /// What restore() sets: moment estimates and numbers of steps.
  [[nodiscard]] std::vector<at::Tensor> tensors() const;
  /// The two moment estimates of each parameter, F32, "average.NAME" and "square.NAME".
  [[nodiscard]] model::Weights state() const;
  /// @param steps  number of steps so far
  /// @throws CheckpointError if one is missing or of another shape
  void restore(const model::Weights& state, int64_t steps);

 private:
  /// Parameters with the same decay and the same share of the learning rate.
  struct Group {
    double weight_decay = 0;
    double rate = 1;
    std::vector<std::string> names;
    std::vector<at::Tensor> parameters, averages, squares, steps;
  };
  [[nodiscard]] Group& group(double weight_decay, double rate);

  AdamWOptions options_;
  std::vector<Group> groups_;
};

/// Euclidean norm of all gradients together.
[[nodiscard]] double gradient_norm(const std::vector<at::Tensor>& parameters);

/// Scales all gradients down to a maximal norm. @param norm  their current norm
void clip_gradients(const std::vector<at::Tensor>& parameters, double norm, double most);

}  // namespace summand::train
