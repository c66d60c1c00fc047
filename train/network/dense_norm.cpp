#include "train/network/dense_norm.hpp"

#include <torch/csrc/autograd/custom_function.h>

#include <array>
#include <bit>
#include <cmath>

#include "train/network/float_math.hpp"
#include "train/network/instruction_sets.hpp"
#include "train/network/products.hpp"
#include "train/network/row_sums.hpp"

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Some rows behind one another.
struct Extent {
  int64_t rows, width;
};

/// Where dropout finds the numbers of a row's elements in the whole tensor.
struct RowMask {
  DropoutMask mask;
  const int64_t* tokens;  // null: the rows follow from the first
  int64_t first;

  [[nodiscard]] uint32_t begin(int64_t row, int64_t width) const {
    return static_cast<uint32_t>((tokens == nullptr ? first + row : tokens[row]) * width);
  }
};

/// What becomes of a product's rows.
template <class Number>
struct Forward {
  const Number* product;
  const float *bias, *residual, *norm_weight, *norm_bias;
  float *sums, *means, *scales;  // of each row, 1 / deviation
  float* result;
  Number* factors;  // the result again; null in fp32, where it is the same memory
  float epsilon;
  RowMask dropout;
};

template <class Number>
struct Backward {
  const float* gradient;           // of the rows; null: none
  const Number* factors_gradient;  // null: none
  const float *sums, *means, *scales, *norm_weight;
  float* of_sums;
  Number* of_product;
  float *of_norm_weight, *of_norm_bias, *of_bias;
  RowMask dropout;
};

/// A row's sums, dropout(product + bias) + residual, and their own sum.
template <class Number>
[[gnu::always_inline]] inline float add_residual(const Forward<Number>& pass, int64_t row, int64_t width) {
  const Number* const product = pass.product + row * width;  // may be the sums' own memory
  const float* const bias = pass.bias;
  const float* const residual = pass.residual + row * width;
  float* const sums = pass.sums + row * width;
  float total = 0;
  if (pass.dropout.mask.keeps_all()) {
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < width; ++i) {
      sums[i] = to_float(product[i]) + bias[i] + residual[i];
      total += sums[i];
    }
    return total;
  }
  const uint32_t begin = pass.dropout.begin(row, width);
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < width; ++i) {
    const float factor = pass.dropout.mask.factor(begin + static_cast<uint32_t>(i));
    sums[i] = (to_float(product[i]) + bias[i]) * factor + residual[i];
    total += sums[i];
  }
  return total;
}

template <class Number>
[[gnu::always_inline]] inline void normalise(const Forward<Number>& pass, Extent extent) {
  const int64_t width = extent.width;
  for (int64_t row = 0; row < extent.rows; ++row) {
    const float total = add_residual(pass, row, width);
    const float* __restrict sums = pass.sums + row * width;
    float* __restrict result = pass.result + row * width;
    const float mean = total / static_cast<float>(width);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < width; ++i) squares += (sums[i] - mean) * (sums[i] - mean);
    const float scale = 1.0F / std::sqrt(squares / static_cast<float>(width) + pass.epsilon);
    const float* __restrict norm_weight = pass.norm_weight, * __restrict norm_bias = pass.norm_bias;
    for (int64_t i = 0; i < width; ++i) result[i] = (sums[i] - mean) * scale * norm_weight[i] + norm_bias[i];
    if (pass.factors != nullptr) {
      Number* __restrict factors = pass.factors + row * width;
      for (int64_t i = 0; i < width; ++i) store(result[i], factors + i);
    }
    pass.means[row] = mean;
    pass.scales[row] = scale;
  }
}

/// The sum of both gradients of a row.
template <class Number>
[[gnu::always_inline]] inline void gather(const Backward<Number>& pass, int64_t row, float* __restrict to,
                                          int64_t width) {
  if (pass.gradient == nullptr) {
    const Number* __restrict of_factors = pass.factors_gradient + row * width;
    for (int64_t i = 0; i < width; ++i) to[i] = to_float(of_factors[i]);
    return;
  }
  const float* __restrict gradient = pass.gradient + row * width;
  if (pass.factors_gradient == nullptr) {
    for (int64_t i = 0; i < width; ++i) to[i] = gradient[i];
    return;
  }
  const Number* __restrict of_factors = pass.factors_gradient + row * width;
  for (int64_t i = 0; i < width; ++i) to[i] = gradient[i] + to_float(of_factors[i]);
}

/// Of normalised values x and their gradient g = gradient · weight: scale · (g - mean(g) - x · mean(g · x)).
template <class Number>
[[gnu::always_inline]] inline void turn_back(const Backward<Number>& pass, Extent extent) {
  const int64_t width = extent.width;
  const float* __restrict norm_weight = pass.norm_weight;
  float* __restrict of_weight = pass.of_norm_weight, * __restrict of_norm_bias = pass.of_norm_bias;
  float* __restrict of_bias = pass.of_bias;
  for (int64_t row = 0; row < extent.rows; ++row) {
    const float* __restrict sums = pass.sums + row * width;
    float* __restrict of_sums = pass.of_sums + row * width;
    float* const gradient = of_sums;  // until it is turned
    gather(pass, row, gradient, width);
    Number* __restrict of_product = pass.of_product + row * width;
    const float mean = pass.means[row], scale = pass.scales[row];
    float total = 0, aligned = 0;
#pragma omp simd reduction(+ : total, aligned)
    for (int64_t i = 0; i < width; ++i) {
      const float x = (sums[i] - mean) * scale;
      total += gradient[i] * norm_weight[i];
      aligned += gradient[i] * norm_weight[i] * x;
      of_weight[i] += gradient[i] * x;
      of_norm_bias[i] += gradient[i];
    }
    total /= static_cast<float>(width);
    aligned /= static_cast<float>(width);
    for (int64_t i = 0; i < width; ++i) {
      const float x = (sums[i] - mean) * scale;
      of_sums[i] = scale * (gradient[i] * norm_weight[i] - total - x * aligned);
    }
    if (pass.dropout.mask.keeps_all()) {
      for (int64_t i = 0; i < width; ++i) {
        store(of_sums[i], of_product + i);
        of_bias[i] += of_sums[i];
      }
    } else {
      const uint32_t begin = pass.dropout.begin(row, width);
      for (int64_t i = 0; i < width; ++i) {
        const float own = of_sums[i] * pass.dropout.mask.factor(begin + static_cast<uint32_t>(i));
        store(own, of_product + i);
        of_bias[i] += own;
      }
    }
  }
}

SUMMAND_FOR_INSTRUCTION_SETS
void forward_pass(const Forward<float>& pass, Extent extent) {
  normalise(pass, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void forward_pass(const Forward<c10::BFloat16>& pass, Extent extent) {
  normalise(pass, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void backward_pass(const Backward<float>& pass, Extent extent) {
  turn_back(pass, extent);
}
SUMMAND_FOR_INSTRUCTION_SETS
void backward_pass(const Backward<c10::BFloat16>& pass, Extent extent) {
  turn_back(pass, extent);
}

RowMask mask_from(const RowDropout& dropout, int64_t begin) {
  const bool all = !dropout.tokens.defined();
  return {dropout.mask, all ? nullptr : dropout.tokens.const_data_ptr<int64_t>() + begin, begin};
}

/// Normalised rows with what the backward pass needs.
struct Normalised {
  at::Tensor rows, factors, sums, means, scales;
};

/// Another tensor in the same memory, which is no view to autograd.
at::Tensor twin(const at::Tensor& rows) {
  at::Tensor other = at::empty({0}, rows.options());
  other.set_(rows.storage(), rows.storage_offset(), rows.sizes(), rows.strides());
  return other;
}

Normalised normalised(const at::Tensor& product, const at::Tensor& bias, const at::Tensor& residual,
                      const DenseNorm& norm, const RowDropout& dropout) {
  const int64_t rows = product.size(0), width = product.size(1);
  const bool in_place = product.scalar_type() == at::kFloat;  // nothing else needs the product
  Normalised result{.rows = at::empty({rows, width}, at::kFloat),
                    .factors = {},
                    .sums = in_place ? product : at::empty({rows, width}, at::kFloat),
                    .means = at::empty({rows}, at::kFloat),
                    .scales = at::empty({rows}, at::kFloat)};
  result.factors = in_place ? twin(result.rows) : at::empty({rows, width}, product.scalar_type());
  with_number_type(product, [&]<class Number>(Number*) {
    for_each_row_block(rows, [&](int64_t, int64_t begin, int64_t end) {
      forward_pass(
          Forward<Number>{.product = product.const_data_ptr<Number>() + begin * width,
                          .bias = bias.const_data_ptr<float>(),
                          .residual = residual.const_data_ptr<float>() + begin * width,
                          .norm_weight = norm.norm_weight.const_data_ptr<float>(),
                          .norm_bias = norm.norm_bias.const_data_ptr<float>(),
                          .sums = result.sums.mutable_data_ptr<float>() + begin * width,
                          .means = result.means.mutable_data_ptr<float>() + begin,
                          .scales = result.scales.mutable_data_ptr<float>() + begin,
                          .result = result.rows.mutable_data_ptr<float>() + begin * width,
                          .factors = in_place ? nullptr : result.factors.mutable_data_ptr<Number>() + begin * width,
                          .epsilon = static_cast<float>(norm.epsilon),
                          .dropout = mask_from(dropout, begin)},
          {end - begin, width});
    });
  });
  return result;
}

/// Gradients, of the residual and, without dropout in single precision the same tensor, of the product.
struct TurnedBack {
  at::Tensor of_sums, of_product, of_norm_weight, of_norm_bias, of_bias;
};

/// Where a block of rows begins; null for an undefined tensor.
template <class Number>
const Number* block_of(const at::Tensor& rows, int64_t begin) {
  return rows.defined() ? rows.const_data_ptr<Number>() + begin * rows.size(1) : nullptr;
}

/// @param gradients  of rows and factors; one may be undefined
TurnedBack turned_back(const NormalisedRows& gradients, const Normalised& of, const at::Tensor& norm_weight,
                       at::ScalarType product_type, const RowDropout& dropout) {
  const int64_t rows = of.sums.size(0), width = of.sums.size(1);
  const bool same = product_type == at::kFloat && dropout.mask.keeps_all();
  const at::Tensor of_sums = at::empty({rows, width}, at::kFloat);
  const at::Tensor of_product = same ? of_sums : at::empty({rows, width}, product_type);
  const RowSums of_norm_weight(rows, width), of_norm_bias(rows, width), of_bias(rows, width);
  with_number_type(of_product, [&]<class Number>(Number*) {
    for_each_row_block(rows, [&](int64_t block, int64_t begin, int64_t end) {
      backward_pass(Backward<Number>{.gradient = block_of<float>(gradients.rows, begin),
                                     .factors_gradient = block_of<Number>(gradients.factors, begin),
                                     .sums = of.sums.const_data_ptr<float>() + begin * width,
                                     .means = of.means.const_data_ptr<float>() + begin,
                                     .scales = of.scales.const_data_ptr<float>() + begin,
                                     .norm_weight = norm_weight.const_data_ptr<float>(),
                                     .of_sums = of_sums.mutable_data_ptr<float>() + begin * width,
                                     .of_product = of_product.mutable_data_ptr<Number>() + begin * width,
                                     .of_norm_weight = of_norm_weight.of(block),
                                     .of_norm_bias = of_norm_bias.of(block),
                                     .of_bias = of_bias.of(block),
                                     .dropout = mask_from(dropout, begin)},
                    {end - begin, width});
    });
  });
  return {of_sums, of_product, of_norm_weight.total(), of_norm_bias.total(), of_bias.total()};
}

class DenseNormFunction : public torch::autograd::Function<DenseNormFunction> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& norm_weight, const at::Tensor& norm_bias,
                               const at::Tensor& residual, double epsilon, const RowDropout& dropout) {
    const Factors factors = Factors::of(input, weight);
    Normalised result =
        normalised(factors.product(), bias, residual, {weight, bias, norm_weight, norm_bias, epsilon}, dropout);
    context->save_for_backward(
        {factors.input, factors.weight, norm_weight, result.sums, result.means, result.scales, dropout.tokens});
    const auto words = std::bit_cast<std::array<int64_t, 2>>(dropout.mask);
    context->saved_data["mask"] = std::vector<int64_t>(words.begin(), words.end());
    context->set_materialize_grads(false);
    return {result.rows, result.factors};
  }

  static variable_list backward(AutogradContext* context, variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Factors factors{saved[0], saved[1]};
    const auto words = context->saved_data["mask"].toIntVector();
    const RowDropout dropout{std::bit_cast<DropoutMask>(std::array<int64_t, 2>{words[0], words[1]}), saved[6]};
    for (at::Tensor& gradient : gradients) {
      if (gradient.defined()) gradient = gradient.contiguous();
    }
    const TurnedBack back =
        turned_back({gradients[0], gradients[1]},
                    {.rows = {}, .factors = {}, .sums = saved[3], .means = saved[4], .scales = saved[5]}, saved[2],
                    factors.input.scalar_type(), dropout);
    return {context->needs_input_grad(0) ? factors.input_gradient(back.of_product) : at::Tensor(),
            context->needs_input_grad(1) ? factors.weight_gradient(back.of_product) : at::Tensor(),
            back.of_bias,
            back.of_norm_weight,
            back.of_norm_bias,
            back.of_sums,
            at::Tensor(),
            at::Tensor()};
  }
};

}  // namespace

NormalisedRows dense_norm(const at::Tensor& input, const DenseNorm& parameters, const at::Tensor& residual,
                          const RowDropout& dropout) {
  const variable_list both =
      DenseNormFunction::apply(input, parameters.weight, parameters.bias, parameters.norm_weight, parameters.norm_bias,
                               residual.to(at::kFloat).contiguous(), parameters.epsilon, dropout);
  return {.rows = both[0], .factors = both[1]};
}

}  // namespace summand::train
