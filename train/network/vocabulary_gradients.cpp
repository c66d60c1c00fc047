#include "train/network/vocabulary_gradients.hpp"

#include <c10/core/GradMode.h>

#include <cmath>
#include <vector>

#include "train/network/float_math.hpp"
#include "train/network/instruction_sets.hpp"
#include "train/network/products.hpp"
#include "train/network/row_sums.hpp"

namespace summand::train {

namespace {

constexpr int64_t kBytesAtOnce = int64_t{40} << 20;  // of logits; more rows go over the table's gradient less often
constexpr int64_t kUnit = 64;                        // of rows

/// A row of logits without their bias.
template <class Number>
struct Logits {
  Number* values;
  const float* bias;
  int64_t count;
  int64_t target;
  float scale;
};

struct RowLoss {
  double loss = 0;
  bool right = false;
};

/// The first of equal logits is the most likely token, as libtorch's argmax has it.
template <class Number>
bool is_first(const Logits<Number>& row, float value) {
  for (int64_t i = 0; i < row.target; ++i) {
    if (to_float(row.values[i]) + row.bias[i] == value) return false;
  }
  return true;
}

/// Turns logits into their gradient, scale · (probability - 1 for the target), and adds it to that of the bias.
template <class Number>
[[gnu::always_inline]] inline RowLoss turn(const Logits<Number>& row, float* __restrict of_bias) {
  Number* const __restrict values = row.values;
  const float* const __restrict bias = row.bias;
  const float target = to_float(values[row.target]) + bias[row.target];
  float most = -INFINITY;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < row.count; ++i) {
    const float logit = to_float(values[i]) + bias[i];
    most = logit > most ? logit : most;
  }
  const bool right = target == most && is_first(row, most);
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t i = 0; i < row.count; ++i) {
    const float likely = exponential(to_float(values[i]) + bias[i] - most);
    store(likely, values + i);
    total += likely;
  }
  const float share = row.scale / total;
  const float of_target = to_float(values[row.target]) * share - row.scale;
  for (int64_t i = 0; i < row.count; ++i) {
    const float own = to_float(values[i]) * share;
    store(own, values + i);
    of_bias[i] += own;
  }
  of_bias[row.target] += of_target - to_float(values[row.target]);
  store(of_target, values + row.target);
  return {.loss = std::log(static_cast<double>(total)) + static_cast<double>(most) - static_cast<double>(target),
          .right = right};
}

SUMMAND_FOR_INSTRUCTION_SETS
RowLoss turn_row(const Logits<float>& row, float* of_bias) {
  return turn(row, of_bias);
}
SUMMAND_FOR_INSTRUCTION_SETS
RowLoss turn_row(const Logits<c10::BFloat16>& row, float* of_bias) {
  return turn(row, of_bias);
}

/// Turns a piece's logits, [rows, vocabulary], into their gradient. @return the gradient of the bias
at::Tensor turn_logits(const at::Tensor& logits, const at::Tensor& bias, const at::Tensor& targets, double scale,
                       std::vector<RowLoss>& losses) {
  const int64_t width = logits.size(1);
  const RowSums of_bias(logits.size(0), width);
  const size_t before = losses.size();
  losses.resize(before + static_cast<size_t>(logits.size(0)));
  with_number_type(logits, [&]<class Number>(Number*) {
    for_each_row_block(logits.size(0), [&](int64_t block, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        losses[before + static_cast<size_t>(row)] =
            turn_row(Logits<Number>{.values = logits.mutable_data_ptr<Number>() + row * width,
                                    .bias = bias.const_data_ptr<float>(),
                                    .count = width,
                                    .target = targets.const_data_ptr<int64_t>()[row],
                                    .scale = static_cast<float>(scale)},
                     of_bias.of(block));
      }
    });
  });
  return of_bias.total();
}

/// A parameter's gradient, zeros at first; undefined if it is not trained.
at::Tensor gradient_of(const at::Tensor& parameter) {
  if (!parameter.requires_grad()) return {};
  if (!parameter.grad().defined()) parameter.mutable_grad() = at::zeros_like(parameter);
  return parameter.grad();
}

/// Of a table that is no leaf of its own or is not trained, none.
void add_table_gradient(const at::Tensor& table, const at::Tensor& of_logits, const at::Tensor& rows) {
  if (!table.requires_grad()) return;
  const bool first = !table.grad().defined();
  if (first) table.mutable_grad() = at::empty_like(table);
  if (rows.scalar_type() == at::kFloat) {
    multiply_transposed(of_logits, rows, table.grad(), first ? Sum::replaces : Sum::adds);
    return;
  }
  const at::Tensor rounded = at::empty(table.sizes(), rows.options());
  multiply_transposed(of_logits, rows, rounded, Sum::replaces);
  if (first) {
    table.grad().copy_(rounded);
  } else {
    table.grad().add_(rounded);
  }
}

}  // namespace

VocabularyLoss add_vocabulary_gradients(const VocabularyProduct& product, const at::Tensor& targets, double scale) {
  const at::NoGradGuard no_gradients;
  const Factors factors = Factors::of(product.rows, product.table);
  const int64_t vocabulary = product.table.size(0), count = factors.input.size(0);
  const auto number_bytes = static_cast<int64_t>(factors.input.element_size());
  const int64_t fitting = kBytesAtOnce / (vocabulary * number_bytes) / kUnit * kUnit;
  const int64_t at_once = std::max(kUnit, fitting);
  const at::Tensor of_bias = gradient_of(product.bias);
  VocabularyLoss result{.of_rows = at::empty_like(factors.input)};
  std::vector<RowLoss> losses;
  const at::Tensor all = at::empty({std::min(at_once, count), vocabulary}, factors.input.options());
  for (int64_t begin = 0; begin < count; begin += at_once) {
    const int64_t rows = std::min(at_once, count - begin);
    const at::Tensor input = factors.input.narrow(0, begin, rows);
    const at::Tensor logits = all.narrow(0, 0, rows);
    multiply(input, factors.weight.t(), logits, Sum::replaces);
    const at::Tensor of_piece = turn_logits(logits, product.bias, targets.narrow(0, begin, rows), scale, losses);
    if (of_bias.defined()) of_bias.add_(of_piece);
    multiply(logits, factors.weight, result.of_rows.narrow(0, begin, rows), Sum::replaces);
    add_table_gradient(product.table, logits, input);
  }
  for (const RowLoss& row : losses) {
    result.sum += row.loss;
    result.right += row.right ? 1 : 0;
  }
  return result;
}

}  // namespace summand::train
