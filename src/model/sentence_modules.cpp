#include "model/sentence_modules.hpp"

#include <array>

namespace summand::model {

std::span<const EnumName<Pooling>> enum_names(Pooling) {
  static constexpr std::array names{
      EnumName{Pooling::cls, "cls"},
      EnumName{Pooling::mean, "mean"},
      EnumName{Pooling::max, "max"},
      EnumName{Pooling::mean_sqrt_length, "mean_sqrt_len_tokens"},
      EnumName{Pooling::weighted_mean, "weightedmean"},
      EnumName{Pooling::last_token, "lasttoken"},
      EnumName{Pooling::last_four_mean, "last_four_mean"},
      EnumName{Pooling::last_four_concat, "last_four_concat"},
      EnumName{Pooling::mean_sqrt_length, "mean_sqrt_length"},
      EnumName{Pooling::weighted_mean, "weighted_mean"},
      EnumName{Pooling::last_token, "last_token"},
  };
  return names;
}

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
