#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/config.hpp"
#include "train/network/dropout_mask.hpp"

namespace summand::train {

/// Where texts begin in a batch of which they are a part.
struct PlaceInBatch {
  size_t text = 0;
  size_t token = 0;
};

/// Dropout with masks that depend only on the seed, the step and the tensor's name: two arms of a comparison drop the
/// same coordinates of common tensors, and a resumed run drops what it would have dropped. Parts of a batch have the
/// masks that they have in the whole. Source: Srivastava et al. 2014, section 4, with kept values divided by their
/// probability
class Dropout {
 public:
  /// @param step  different for every batch
  /// @param begin  of what is computed of that batch
  /// @param prefix  of the tensors' names, of a network within another
  Dropout(const model::Config& config, uint64_t seed, uint64_t step, const PlaceInBatch& begin = {},
          std::string_view prefix = "")
      : hidden_(config.hidden_dropout_prob),
        attention_(config.attention_probs_dropout_prob),
        classifier_(config.classifier_dropout.value_or(config.hidden_dropout_prob)),
        seed_(seed),
        step_(step),
        begin_(begin),
        prefix_(prefix) {}

  /// For rows of all tokens, with hidden_dropout_prob.
  [[nodiscard]] at::Tensor hidden(const at::Tensor& rows, std::string_view name) const;
  /// The mask that hidden() multiplies with, of rows on a processor.
  [[nodiscard]] DropoutMask hidden_mask(std::string_view name, size_t width) const {
    return mask(hidden_, name).from(static_cast<uint32_t>(begin_.token * width));
  }
  /// For attention weights, with attention_probs_dropout_prob.
  [[nodiscard]] DropoutMask attention_mask(std::string_view name) const { return mask(attention_, name); }
  /// For what a classifier of texts reads, with classifier_dropout.
  [[nodiscard]] at::Tensor text_classifier(const at::Tensor& rows, std::string_view name) const;
  /// Of tokens.
  [[nodiscard]] at::Tensor token_classifier(const at::Tensor& rows, std::string_view name) const;
  [[nodiscard]] const PlaceInBatch& begin() const { return begin_; }
  [[nodiscard]] bool drops_attention() const { return attention_ > 0; }

 private:
  [[nodiscard]] DropoutMask mask(double rate, std::string_view name) const;
  /// @param first  row of the batch's tensor that is the first of `rows`
  [[nodiscard]] at::Tensor dropped(const at::Tensor& rows, double rate, std::string_view name, size_t first) const;

  double hidden_, attention_, classifier_;
  uint64_t seed_, step_;
  PlaceInBatch begin_;
  std::string prefix_;
};

}  // namespace summand::train
