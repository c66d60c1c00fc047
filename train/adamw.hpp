#pragma once

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

#include "model/weights.hpp"
#include "train/tensors.hpp"

namespace summand::train {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;  ///< of matrices alone: biases and normalisations do not decay

  bool operator==(const AdamWOptions&) const = default;
};

/// Adam with decoupled weight decay, by libtorch's fused kernel.
/// Source: Loshchilov & Hutter 2019, algorithm 2; what decays: google-research/bert, optimization.py
class AdamW {
 public:
  /// @param parameters  outlive this object; those without gradients stay as they are
  AdamW(const Parameters& parameters, const AdamWOptions& options);

  /// Moves every parameter by its gradient.
  void step(double learning_rate);
  /// Lets go of all gradients.
  void clear_gradients();

  /// Its two averages of each parameter as tensors, F32, "average.NAME" and "square.NAME".
  [[nodiscard]] model::Weights state() const;
  /// @param steps  that were made
  /// @throws CheckpointError if one is missing or of another shape
  void restore(const model::Weights& state, int64_t steps);

 private:
  /// Parameters that decay alike.
  struct Group {
    double weight_decay = 0;
    std::vector<std::string> names;
    std::vector<at::Tensor> parameters, averages, squares, steps;
  };
  AdamWOptions options_;
  std::vector<Group> groups_;
};

/// What all gradients are together: the Euclidean norm.
[[nodiscard]] double gradient_norm(const std::vector<at::Tensor>& parameters);

/// Scales all gradients down to a norm. @param norm  theirs
void clip_gradients(const std::vector<at::Tensor>& parameters, double norm, double most);

}  // namespace summand::train
