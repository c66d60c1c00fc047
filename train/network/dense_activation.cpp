#include "train/network/dense_activation.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include "train/network/float_math.hpp"
#include "train/network/instruction_sets.hpp"
#include "train/network/products.hpp"
#include "train/network/row_sums.hpp"

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr float kRootTwoOverPi = 0.7978845608028654F;
constexpr float kCubic = 0.044715F;

/// x·Φ(x). With a = |x|, Φ(-a) = exp(-a²/2)·m(z), z = 1/(1 + 0.375·a), as Abramowitz & Stegun 7.1.26 do; m fitted on
/// 0 ≤ a ≤ 6, weighted by a·exp(-a²/2), where it leaves an error of 1.2e-9.
struct Gelu {
  struct Normal {
    float density;  // exp(-a²/2)
    float tail;     // Φ(-a)
  };
  static Normal normal(float a) {
    constexpr float kHalfLog2E = 0.72134752044F;
    const float exponent = a * -kHalfLog2E * a;
    const auto n = static_cast<int32_t>(exponent - 0.5F);  // the nearest; exponent is at least -47
    const float r = exponent - static_cast<float>(n);
    const float fraction =
        1.0F + r * (0.693147188F +
                    r * (0.2402265076F +
                         r * (0.05550357114F + r * (0.009618082557F + r * (0.001339086336F + r * 0.0001545316295F)))));
    const float density = fraction * power_of_two(n);
    const float z = 1.0F / (1.0F + 0.375F * a);
    const float tail =
        0.001908942051F +
        z * (0.1277321473F +
             z * (0.2558851495F +
                  z * (-0.1524008158F + z * (0.5107020759F + z * (-0.3017056705F + z * 0.05787820396F)))));
    return {density, density * tail};
  }
  /// |x| up to where Φ(-|x|) is below 1e-15.
  static float magnitude(float x) {
    const float a = x < 0 ? -x : x;
    return a > 8.0F ? 8.0F : a;
  }
  static float value(float x) {
    const float a = magnitude(x);
    return (x < 0 ? 0.0F : x) - a * normal(a).tail;
  }
  static float slope(float x) {
    constexpr float kDensity = 0.3989422804014327F;  // 1/√(2π)
    const float a = magnitude(x);
    const Normal at = normal(a);
    const float rise = a * kDensity * at.density;
    return x < 0 ? at.tail - rise : (1.0F - at.tail) + rise;
  }
};

/// x·(1 + tanh y)/2 with y = √(2/π)·(x + 0.044715·x³), which is x·s with s = 1/(1 + e^-2y).
struct GeluTanh {
  static float logistic(float x) {
    const float y = kRootTwoOverPi * (x + kCubic * x * x * x);
    return 1.0F / (1.0F + exponential(-2.0F * y));
  }
  static float value(float x) { return x * logistic(x); }
  static float slope(float x) {
    const float s = logistic(x);
    float bounded = x > 30.0F ? 30.0F : x;  // s is 0 or 1 long before
    bounded = bounded < -30.0F ? -30.0F : bounded;
    return s + bounded * s * (1.0F - s) * (2.0F * kRootTwoOverPi) * (1.0F + 3.0F * kCubic * bounded * bounded);
  }
};

/// Some rows behind one another.
struct Extent {
  int64_t rows, width;
};

template <class Function, class Number>
[[gnu::always_inline]] inline void activate(const float* __restrict bias, Number* __restrict sums,
                                            Number* __restrict to, Extent extent) {
  for (int64_t row = 0; row < extent.rows; ++row, sums += extent.width, to += extent.width) {
    for (int64_t i = 0; i < extent.width; ++i) {
      const float x = to_float(sums[i]) + bias[i];
      store(x, sums + i);
      store(Function::value(x), to + i);
    }
  }
}

/// Turns the gradient into that of the sums, and adds it to that of the bias.
template <class Function, class Number>
[[gnu::always_inline]] inline void turn_back(const Number* __restrict sums, Number* __restrict gradient,
                                             float* __restrict of_bias, Extent extent) {
  for (int64_t row = 0; row < extent.rows; ++row, sums += extent.width, gradient += extent.width) {
    for (int64_t i = 0; i < extent.width; ++i) {
      const float own = to_float(gradient[i]) * Function::slope(to_float(sums[i]));
      store(own, gradient + i);
      of_bias[i] += own;
    }
  }
}

SUMMAND_FOR_INSTRUCTION_SETS
void forward_pass(Gelu, const float* bias, float* sums, float* to, Extent extent) {
  activate<Gelu>(bias, sums, to, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void forward_pass(Gelu, const float* bias, c10::BFloat16* sums, c10::BFloat16* to, Extent extent) {
  activate<Gelu>(bias, sums, to, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void forward_pass(GeluTanh, const float* bias, float* sums, float* to, Extent extent) {
  activate<GeluTanh>(bias, sums, to, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void forward_pass(GeluTanh, const float* bias, c10::BFloat16* sums, c10::BFloat16* to, Extent extent) {
  activate<GeluTanh>(bias, sums, to, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void backward_pass(Gelu, const float* sums, float* gradient, float* of_bias, Extent extent) {
  turn_back<Gelu>(sums, gradient, of_bias, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void backward_pass(Gelu, const c10::BFloat16* sums, c10::BFloat16* gradient, float* of_bias, Extent extent) {
  turn_back<Gelu>(sums, gradient, of_bias, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void backward_pass(GeluTanh, const float* sums, float* gradient, float* of_bias, Extent extent) {
  turn_back<GeluTanh>(sums, gradient, of_bias, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void backward_pass(GeluTanh, const c10::BFloat16* sums, c10::BFloat16* gradient, float* of_bias, Extent extent) {
  turn_back<GeluTanh>(sums, gradient, of_bias, extent);
}

template <class Function>
at::Tensor activated(Function function, const at::Tensor& bias, const at::Tensor& sums) {
  at::Tensor result = at::empty_like(sums);
  const int64_t width = sums.size(1);
  with_number_type(sums, [&]<class Number>(Number*) {
    for_each_row_block(sums.size(0), [&, from = sums.mutable_data_ptr<Number>(),
                                      to = result.mutable_data_ptr<Number>()](int64_t, int64_t begin, int64_t end) {
      forward_pass(function, bias.const_data_ptr<float>(), from + begin * width, to + begin * width,
                   {end - begin, width});
    });
  });
  return result;
}

/// @param gradient  of the activation; becomes that of the sums
/// @return that of the bias
template <class Function>
at::Tensor turned_back(Function function, const at::Tensor& sums, const at::Tensor& gradient) {
  const int64_t width = sums.size(1);
  const RowSums of_bias(sums.size(0), width);
  with_number_type(sums, [&]<class Number>(Number*) {
    for_each_row_block(
        sums.size(0), [&, from = sums.const_data_ptr<Number>(), to = gradient.mutable_data_ptr<Number>()](
                          int64_t block, int64_t begin, int64_t end) {
          backward_pass(function, from + begin * width, to + begin * width, of_bias.of(block), {end - begin, width});
        });
  });
  return of_bias.total();
}

class DenseActivation : public torch::autograd::Function<DenseActivation> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                            const at::Tensor& bias, bool by_tanh) {
    const Factors factors = Factors::of(input, weight);
    const at::Tensor sums = factors.product();
    at::Tensor result = by_tanh ? activated(GeluTanh(), bias, sums) : activated(Gelu(), bias, sums);
    context->save_for_backward({factors.input, factors.weight, sums});
    context->saved_data["by_tanh"] = by_tanh;
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Factors factors{saved[0], saved[1]};
    const at::Tensor gradient = to_write_over(std::move(gradients[0]));
    const at::Tensor of_bias = context->saved_data["by_tanh"].toBool() ? turned_back(GeluTanh(), saved[2], gradient)
                                                                       : turned_back(Gelu(), saved[2], gradient);
    return {context->needs_input_grad(0) ? factors.input_gradient(gradient) : at::Tensor(),
            context->needs_input_grad(1) ? factors.weight_gradient(gradient) : at::Tensor(), of_bias, at::Tensor()};
  }
};

}  // namespace

bool has_dense_activation(model::Activation activation) {
  return activation == model::Activation::gelu || activation == model::Activation::gelu_tanh;
}

at::Tensor dense_activation(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                            model::Activation activation) {
  return DenseActivation::apply(input, weight, bias, activation == model::Activation::gelu_tanh);
}

}  // namespace summand::train
