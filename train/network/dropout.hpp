#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string_view>

#include "model/config.hpp"
#include "train/network/dropout_mask.hpp"

namespace summand::train {

/// Dropout with masks that depend only on the seed, the step and the tensor's name: two arms of a comparison drop the
/// same coordinates of common tensors, and a resumed run drops what it would have dropped. Source: Srivastava et al.
/// 2014, section 4, with kept values divided by their probability
class Dropout {
 public:
  /// @param step  different for every batch
  Dropout(const model::Config& config, uint64_t seed, uint64_t step)
      : hidden_(config.hidden_dropout_prob),
        attention_(config.attention_probs_dropout_prob),
        classifier_(config.classifier_dropout.value_or(config.hidden_dropout_prob)),
        seed_(seed),
        step_(step) {}

  /// For rows, with hidden_dropout_prob.
  [[nodiscard]] at::Tensor hidden(const at::Tensor& rows, std::string_view name) const;
  /// The mask that hidden() multiplies with, of rows on a processor.
  [[nodiscard]] DropoutMask hidden_mask(std::string_view name) const { return mask(hidden_, name); }
  /// For attention weights, with attention_probs_dropout_prob.
  [[nodiscard]] DropoutMask attention_mask(std::string_view name) const { return mask(attention_, name); }
  /// For what a classifier reads, with classifier_dropout.
  [[nodiscard]] at::Tensor classifier(const at::Tensor& rows, std::string_view name) const;
  [[nodiscard]] bool drops_attention() const { return attention_ > 0; }

 private:
  [[nodiscard]] DropoutMask mask(double rate, std::string_view name) const;
  [[nodiscard]] at::Tensor dropped(const at::Tensor& values, double rate, std::string_view name) const;

  double hidden_, attention_, classifier_;
  uint64_t seed_, step_;
};

}  // namespace summand::train
