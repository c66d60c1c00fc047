#include "engine/layers/linear.hpp"
namespace summand::engine {

namespace {

using Packed = std::variant<PackedLinear, HalfLinear, Int8Linear>;

Packed packed(const Arithmetic& arithmetic, const model::Weights& weights, std::span<const std::string> names,
              PackedStore& store) {
  switch (arithmetic.precision) {
    case Precision::fp32:
      return PackedLinear(weights, names, store);
    case Precision::bf16:
    case Precision::fp16:
      return HalfLinear(*arithmetic.half, weights, names, store);
    case Precision::int8:
      return Int8Linear(*arithmetic.int8, weights, names, store);
  }
  __builtin_unreachable();
}

/// How each kind of layer multiplies.
struct Multiplication {
  const Arithmetic& arithmetic;
  const ProductRows& rows;
  Destination out;
  ColumnBlock block;

  void operator()(const PackedLinear& linear) const { linear.multiply(*arithmetic.kernels, rows, out, block); }
  void operator()(const HalfLinear& linear) const { linear.multiply(*arithmetic.half, rows, out, block); }
  void operator()(const Int8Linear& linear) const { linear.multiply(*arithmetic.int8, rows, out, block); }
};

}  // namespace

Linear::Linear(const Arithmetic& arithmetic, const model::Weights& weights, std::span<const std::string> names,
               PackedStore& store)
    : packed_(packed(arithmetic, weights, names, store)) {}

size_t Linear::in() const {
  return std::visit([](const auto& linear) { return linear.in(); }, packed_);
}

size_t Linear::out() const {
  return std::visit([](const auto& linear) { return linear.out(); }, packed_);
}

const float* Linear::input_factors() const {
  const auto* const int8 = std::get_if<Int8Linear>(&packed_);
  return int8 == nullptr ? nullptr : int8->input_factors();
}

void Linear::multiply(const Arithmetic& arithmetic, const ProductRows& rows, Destination out, ColumnBlock block) const {
  std::visit(Multiplication{arithmetic, rows, out, block}, packed_);
}

void Linear::multiply(const Arithmetic& arithmetic, MatrixView<const float> rows, MatrixView<float> out) const {
  multiply(arithmetic, {.count = rows.rows(), .stride = rows.stride(), .floats = rows.data()},
           {.floats = out.data(), .stride = out.stride()}, {0, this->out()});
}

}  // namespace summand::engine
