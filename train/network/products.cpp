#include "train/network/products.hpp"

#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "train/network/row_sums.hpp"

namespace at::native {
// oneDNN inside libtorch, which exports this and installs no header: result = alpha · a · b + beta · result.
void mkldnn_matmul(const Tensor& a, const Tensor& b, const Tensor& result, float beta, float alpha);
}  // namespace at::native

namespace summand::train {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kUnit = 64;  // of rows; oneDNN compiles a kernel for each shape, a millisecond and more

/// MKL, which libtorch takes in single precision, leaves a third of an AMD processor's speed unused, on Zen 5 a half.
bool is_amd() {
#if defined(__x86_64__)
  static const bool amd = __builtin_cpu_is("amd") != 0;
  return amd;
#else
  return false;
#endif
}

/// Whether oneDNN multiplies: in bf16 libtorch itself takes it.
bool by_onednn(const at::Tensor& factor) {
  return factor.scalar_type() == at::kBFloat16 || (factor.scalar_type() == at::kFloat && is_amd());
}

void multiply_whole(const at::Tensor& a, const at::Tensor& b, const at::Tensor& to, Sum sum) {
  if (a.scalar_type() == at::kFloat && is_amd()) {
    at::native::mkldnn_matmul(a, b, to, sum == Sum::adds ? 1 : 0, 1);
    return;
  }
  at::Tensor result = to;
  if (sum == Sum::adds) {
    at::addmm_out(result, to, a, b);
  } else {
    at::mm_out(result, a, b);
  }
}

int64_t whole_units(const at::Tensor& rows) {
  return by_onednn(rows) ? rows.size(0) / kUnit * kUnit : rows.size(0);
}

/// The rows from `begin` on, and zeros up to a unit.
at::Tensor padded(const at::Tensor& rows, int64_t begin) {
  const at::Tensor unit = at::zeros({kUnit, rows.size(1)}, rows.options());
  unit.narrow(0, 0, rows.size(0) - begin).copy_(rows.narrow(0, begin, rows.size(0) - begin));
  return unit;
}

class Linear : public torch::autograd::Function<Linear> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& weight,
                            const at::Tensor& bias) {
    const Factors factors = Factors::of(input, weight);
    at::Tensor rows = factors.product();
    add_to_rows(bias, rows);
    context->save_for_backward({factors.input, factors.weight});
    return rows;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Factors factors{saved[0], saved[1]};
    const at::Tensor gradient = gradients[0].contiguous();
    return {context->needs_input_grad(0) ? factors.input_gradient(gradient) : at::Tensor(),
            context->needs_input_grad(1) ? factors.weight_gradient(gradient) : at::Tensor(),
            context->needs_input_grad(2) ? sum_of_rows(gradient) : at::Tensor()};
  }
};

}  // namespace

void multiply(const at::Tensor& rows, const at::Tensor& matrix, const at::Tensor& to, Sum sum) {
  const at::NoGradGuard no_gradients;
  const int64_t whole = whole_units(rows);
  if (whole > 0) multiply_whole(rows.narrow(0, 0, whole), matrix, to.narrow(0, 0, whole), sum);
  if (whole == rows.size(0)) return;
  const at::Tensor unit = at::empty({kUnit, matrix.size(1)}, to.options());
  multiply_whole(padded(rows, whole), matrix, unit, Sum::replaces);
  const at::Tensor rest = to.narrow(0, whole, rows.size(0) - whole);
  const at::Tensor of_rest = unit.narrow(0, 0, rest.size(0));
  if (sum == Sum::adds) {
    rest.add_(of_rest);
  } else {
    rest.copy_(of_rest);
  }
}

void multiply_transposed(const at::Tensor& left, const at::Tensor& right, const at::Tensor& to, Sum sum) {
  const at::NoGradGuard no_gradients;
  const int64_t whole = whole_units(left);
  if (whole > 0) multiply_whole(left.narrow(0, 0, whole).t(), right.narrow(0, 0, whole), to, sum);
  if (whole == left.size(0)) return;
  multiply_whole(padded(left, whole).t(), padded(right, whole), to, whole > 0 ? Sum::adds : sum);
}

bool has_own_passes(const at::Tensor& parameter) {
  return parameter.is_cpu() && parameter.scalar_type() == at::kFloat;
}

at::ScalarType product_type() {
  return at::autocast::is_autocast_enabled(at::kCPU) ? at::kBFloat16 : at::kFloat;
}

Factors Factors::of(const at::Tensor& input, const at::Tensor& weight) {
  return {input.to(product_type()).contiguous(), weight.to(product_type())};
}

at::Tensor Factors::product() const {
  at::Tensor rows = at::empty({input.size(0), weight.size(0)}, input.options());
  multiply(input, weight.t(), rows, Sum::replaces);
  return rows;
}

at::Tensor Factors::input_gradient(const at::Tensor& gradient) const {
  at::Tensor result = at::empty(input.sizes(), input.options());
  multiply(gradient, weight, result, Sum::replaces);
  return result;
}

at::Tensor Factors::weight_gradient(const at::Tensor& gradient) const {
  at::Tensor result = at::empty(weight.sizes(), weight.options());
  multiply_transposed(gradient, input, result, Sum::replaces);
  return result;
}

at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
  return Linear::apply(input, weight, bias);
}

}  // namespace summand::train
