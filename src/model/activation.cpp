#include "model/activation.hpp"

#include <array>

namespace summand::model {

std::span<const EnumName<Activation>> enum_names(Activation) {
  // gelu_new, gelu_pytorch_tanh, gelu_accurate: one formula under the names that Hugging Face gave it over the years.
  static constexpr std::array names{
      EnumName{Activation::gelu, "gelu"},
      EnumName{Activation::gelu, "gelu_python"},
      EnumName{Activation::gelu_tanh, "gelu_new"},
      EnumName{Activation::gelu_tanh, "gelu_pytorch_tanh"},
      EnumName{Activation::gelu_tanh, "gelu_python_tanh"},
      EnumName{Activation::gelu_tanh, "gelu_accurate"},
      EnumName{Activation::relu, "relu"},
      EnumName{Activation::silu, "silu"},
      EnumName{Activation::silu, "swish"},
      EnumName{Activation::tanh, "tanh"},
      EnumName{Activation::linear, "linear"},
      EnumName{Activation::half, "half"},
  };
  return names;
}

}  // namespace summand::model
