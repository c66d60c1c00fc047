#include "model/sentence_modules.hpp"

#include <array>

namespace summand {

std::span<const model::EnumName<Pooling>> enum_names(Pooling) {
  static constexpr std::array names{
      model::EnumName{Pooling::cls, "cls"},
      model::EnumName{Pooling::mean, "mean"},
      model::EnumName{Pooling::max, "max"},
      model::EnumName{Pooling::mean_sqrt_length, "mean_sqrt_len_tokens"},
      model::EnumName{Pooling::weighted_mean, "weightedmean"},
      model::EnumName{Pooling::last_token, "lasttoken"},
      model::EnumName{Pooling::last_four_mean, "last_four_mean"},
      model::EnumName{Pooling::last_four_concat, "last_four_concat"},
      model::EnumName{Pooling::mean_sqrt_length, "mean_sqrt_length"},
      model::EnumName{Pooling::weighted_mean, "weighted_mean"},
      model::EnumName{Pooling::last_token, "last_token"},
  };
  return names;
}

}  // namespace summand

namespace summand::model {

std::span<const EnumName<DenseActivation>> enum_names(DenseActivation) {
  static constexpr std::array names{
      EnumName{DenseActivation::identity, "torch.nn.modules.linear.Identity"},
      EnumName{DenseActivation::tanh, "torch.nn.modules.activation.Tanh"},
      EnumName{DenseActivation::relu, "torch.nn.modules.activation.ReLU"},
      EnumName{DenseActivation::gelu, "torch.nn.modules.activation.GELU"},
      EnumName{DenseActivation::sigmoid, "torch.nn.modules.activation.Sigmoid"},
  };
  return names;
}

}  // namespace summand::model
