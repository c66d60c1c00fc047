#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/rounding.hpp"
#include "every_kernel_set.hpp"

// The kernels in bf16 and int8 beside plain C++, on every instruction set that has them; and plain C++ beside double
// precision and closed forms.

namespace summand {

namespace {

using engine::Half;
using engine::HalfKernels;
using engine::Int8Kernels;
using engine::RowQuantization;

/// Calls body(kernels) for the plain kernels and for those of every instruction set of this machine that has some.
template <class Body>
void for_every_bf16(const Body& body) {
  body(engine::generic::kBf16Kernels);
  for (const auto* const set : engine::available_kernel_sets()) {
    INFO("instruction set ", std::string(set->name));
    if (set->bf16 != nullptr) body(*set->bf16);
  }
}

template <class Body>
void for_every_int8(const Body& body) {
  body(engine::generic::kInt8Kernels);
  for (const auto* const set : engine::available_kernel_sets()) {
    INFO("instruction set ", std::string(set->name));
    if (set->int8 != nullptr) body(*set->int8);
  }
}

std::vector<Half> random_bf16(size_t count, uint32_t seed) {
  std::vector<Half> rounded(count);
  const auto values = test::random_floats(count, seed);
  engine::generic::kBf16Kernels.round(
      {.values = values.data(), .row_count = 1, .columns = count, .out = rounded.data()});
  return rounded;
}

bool same_bits(const auto& left, const auto& right) {
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size() * sizeof(*left.data())) == 0;
}

/// What may stand behind and beside an output and must stay.
constexpr float kUntouched = -12345.0F;
constexpr size_t kMargin = 20;

struct Shape {
  size_t rows;
  size_t depth;
  size_t columns;
};

/// A matrix as bf16 and int8 panels of 16 columns, with `per_step` numbers of the depth side by side.
template <class T>
std::vector<T> panels_of(const std::vector<T>& matrix, const Shape& shape, size_t per_step) {
  std::vector<T> panels(engine::whole_panels(shape.columns) * shape.depth);
  for (size_t k = 0; k < shape.depth; ++k) {
    for (size_t column = 0; column < shape.columns; ++column) {
      const size_t panel = column / 16 * 16 * shape.depth;
      panels[panel + (k / per_step * 16 + column % 16) * per_step + k % per_step] = matrix[k * shape.columns + column];
    }
  }
  return panels;
}

/// Panels of bytes as the kernels read them: widened where these say so.
std::vector<int8_t> as_read_by(const Int8Kernels& kernels, const std::vector<int8_t>& panels) {
  if (kernels.weight_bytes == 1) return panels;
  const std::vector<int16_t> wide(panels.begin(), panels.end());
  std::vector<int8_t> bytes(wide.size() * sizeof(int16_t));
  std::memcpy(bytes.data(), wide.data(), bytes.size());
  return bytes;
}

/// A bf16 product of random numbers, the chain in the order of the depth in double precision beside it.
void check_bf16_product(const HalfKernels& kernels, Shape shape) {
  shape.depth = kernels.layout.depth(shape.depth);
  const auto rows = random_bf16(shape.rows * shape.depth, 1);
  const auto matrix = random_bf16(shape.depth * shape.columns, 2);
  const auto panels = panels_of(matrix, shape, kernels.layout.per_step);
  auto bias = test::random_floats(engine::whole_panels(shape.columns), 3);
  const size_t stride = shape.columns + kMargin;
  std::vector<float> out(shape.rows * stride, kUntouched);
  std::vector<Half> rounded(out.size(), Half{7});
  engine::HalfProductTask task{.rows = rows.data(),
                               .row_stride = shape.depth,
                               .row_count = shape.rows,
                               .depth = shape.depth,
                               .panels = panels.data(),
                               .bias = bias.data(),
                               .columns = shape.columns,
                               .out = {.floats = out.data(), .stride = stride}};
  kernels.product(task);
  task.out = {.rounded = rounded.data(), .stride = stride};
  kernels.product(task);
  std::vector<Half> want_rounded(1);
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t column = 0; column < stride; ++column) {
      const float got = out[row * stride + column];
      if (column >= shape.columns) {
        if (got != kUntouched || rounded[row * stride + column].bits != 7) FAIL("wrote beyond row ", row);
        continue;
      }
      double want = bias[column];
      double magnitude = std::abs(want);
      for (size_t k = 0; k < shape.depth; ++k) {
        const double term = static_cast<double>(float_of_bf16(rows[row * shape.depth + k])) *
                            static_cast<double>(float_of_bf16(matrix[k * shape.columns + column]));
        want += term;
        magnitude += std::abs(term);
      }
      // One rounding a term, each at most half a unit of the largest partial sum.
      const double tolerance = magnitude * static_cast<double>(shape.depth + 1) * 0x1p-24;
      if (!(std::abs(static_cast<double>(got) - want) <= tolerance)) FAIL("row ", row, ", column ", column);
      engine::generic::kBf16Kernels.round(
          {.values = &got, .row_count = 1, .columns = 1, .out = (want_rounded.resize(2), want_rounded.data())});
      if (want_rounded[0].bits != rounded[row * stride + column].bits) FAIL("rounded: row ", row, ", column ", column);
    }
  }
}

/// An int8 product, the exact sum in 64 bits beside it.
void check_int8_product(const Int8Kernels& kernels, Shape shape) {
  shape.depth = kernels.layout.depth(shape.depth);
  std::mt19937 random(1);
  std::vector<uint8_t> rows(shape.rows * shape.depth);
  std::vector<int8_t> matrix(shape.depth * shape.columns);
  for (auto& byte : rows) byte = static_cast<uint8_t>(random() % 256);
  for (auto& byte : matrix) byte = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
  const auto panels = as_read_by(kernels, panels_of(matrix, shape, kernels.layout.per_step));
  const size_t padded = engine::whole_panels(shape.columns);
  const auto bias = test::random_floats(padded, 3);
  const auto scales = test::random_floats(padded, 4);
  std::vector<int32_t> sums(padded);
  for (size_t i = 0; i < matrix.size(); ++i) sums[i % shape.columns] += matrix[i];
  std::vector<RowQuantization> codes(shape.rows);
  for (auto& code : codes) code = {.scale = 0.01F, .zero = static_cast<int32_t>(random() % 256)};
  const size_t stride = shape.columns + kMargin;
  std::vector<float> out(shape.rows * stride, kUntouched);
  kernels.product({.rows = rows.data(),
                   .row_stride = shape.depth,
                   .codes = codes.data(),
                   .row_count = shape.rows,
                   .depth = shape.depth,
                   .panels = panels.data(),
                   .column_scales = scales.data(),
                   .column_sums = sums.data(),
                   .bias = bias.data(),
                   .columns = shape.columns,
                   .out = {.floats = out.data(), .stride = stride}});
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t column = 0; column < stride; ++column) {
      const float got = out[row * stride + column];
      if (column >= shape.columns) {
        if (got != kUntouched) FAIL("wrote beyond row ", row);
        continue;
      }
      int64_t total = 0;
      for (size_t k = 0; k < shape.depth; ++k) {
        total += (int64_t{rows[row * shape.depth + k]} - codes[row].zero) * matrix[k * shape.columns + column];
      }
      const float want = std::fma(static_cast<float>(total), scales[column] * codes[row].scale, bias[column]);
      if (got != want) FAIL("row ", row, ", column ", column, ": ", got, ", expected ", want);
    }
  }
}

std::vector<Half> rounded_by(const HalfKernels& kernels, const std::vector<float>& values) {
  std::vector<Half> out(engine::rounded_up(values.size(), 2), Half{7});
  kernels.round(
      {.values = values.data(), .row_count = 1, .columns = values.size(), .padded = out.size(), .out = out.data()});
  return out;
}

struct Quantised {
  std::vector<uint8_t> bytes;
  RowQuantization code;
};

Quantised quantised_by(const Int8Kernels& kernels, const std::vector<float>& values,
                       const std::vector<float>& factors = {}) {
  Quantised result{.bytes = std::vector<uint8_t>(engine::rounded_up(values.size(), 4), 77), .code = {}};
  kernels.quantise({.values = values.data(),
                    .row_count = 1,
                    .columns = values.size(),
                    .padded = result.bytes.size(),
                    .out = result.bytes.data(),
                    .codes = &result.code,
                    .factors = factors.empty() ? nullptr : factors.data()});
  return result;
}

}  // namespace

TEST_CASE("a bf16 product agrees with double precision for every remainder of rows, columns and depth") {
  for_every_bf16([&](const HalfKernels& kernels) {
    for (size_t rows = 1; rows <= 19; ++rows) {
      for (const size_t columns : {1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100}) {
        for (const size_t depth : {2, 4, 6, 38}) {
          INFO("rows ", rows, ", columns ", columns, ", depth ", depth);
          check_bf16_product(kernels, {rows, depth, columns});
        }
      }
    }
    check_bf16_product(kernels, {130, 384, 300});
  });
}

TEST_CASE("an int8 product is the exact sum, scaled once, for every remainder of rows, columns and depth") {
  for_every_int8([&](const Int8Kernels& kernels) {
    for (size_t rows = 1; rows <= 19; ++rows) {
      for (const size_t columns : {1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100}) {
        for (const size_t depth : {4, 8, 12, 44}) {
          INFO("rows ", rows, ", columns ", columns, ", depth ", depth);
          check_int8_product(kernels, {rows, depth, columns});
        }
      }
    }
    check_int8_product(kernels, {130, 384, 300});
  });
}

TEST_CASE("rows with factors become the bytes of their products") {
  for_every_int8([&](const Int8Kernels& kernels) {
    for (const size_t columns : {1, 3, 15, 16, 17, 31, 64, 100, 385}) {
      std::mt19937 random(static_cast<unsigned>(columns));
      std::normal_distribution<float> normal;
      std::vector<float> values(columns), factors(columns), products(columns);
      for (size_t i = 0; i < columns; ++i) {
        values[i] = normal(random);
        factors[i] = std::exp(normal(random));
        products[i] = values[i] * factors[i];
      }
      const auto got = quantised_by(kernels, values, factors);
      const auto want = quantised_by(kernels, products);
      CHECK(got.bytes == want.bytes);
      CHECK(got.code.scale == want.code.scale);
      CHECK(got.code.zero == want.code.zero);
    }
  });
}

TEST_CASE("the largest sums of an int8 product do not overflow") {
  constexpr size_t kDepth = engine::kLargestInt8Depth;
  const std::vector<uint8_t> rows(kDepth, 255);
  const std::vector<float> ones(16, 1.0F);
  const std::vector<float> zeros(16);
  std::vector<int32_t> sums(16);
  sums[0] = static_cast<int32_t>(kDepth) * 127;
  const RowQuantization code{.scale = 1, .zero = 0};
  for_every_int8([&](const Int8Kernels& kernels) {
    const size_t step = kernels.layout.per_step;
    std::vector<int8_t> panels(kDepth * 16);
    for (size_t k = 0; k < kDepth; ++k) panels[k / step * 16 * step + k % step] = 127;
    const auto read = as_read_by(kernels, panels);
    float out = 0;
    kernels.product({.rows = rows.data(),
                     .codes = &code,
                     .row_count = 1,
                     .depth = kDepth,
                     .panels = read.data(),
                     .column_scales = ones.data(),
                     .column_sums = sums.data(),
                     .bias = zeros.data(),
                     .columns = 1,
                     .out = {.floats = &out, .stride = 1}});
    CHECK(out == static_cast<float>(int64_t{255} * 127 * int64_t{kDepth}));
  });
}

TEST_CASE("floats are rounded to the nearest bf16, ties to even, whatever they are") {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, uint16_t>> known{
      {1.0F, 0x3f80},          {-2.0F, 0xc000},    {0x1.01p0F, 0x3f80},  // half a unit above an even one
      {0x1.03p0F, 0x3f82},                                               // half a unit above an odd one
      {0x1.010002p0F, 0x3f81}, {infinity, 0x7f80}, {-infinity, 0xff80}, {0x1.fffffep127F, 0x7f80},
      {0x1p-130F, 0x0000},     {-0.0F, 0x8000}};
  std::vector<float> values;
  for (const auto& [value, bits] : known) values.push_back(value);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  for_every_bf16([&](const HalfKernels& kernels) {
    const auto rounded = rounded_by(kernels, values);
    for (size_t i = 0; i < known.size(); ++i) CHECK(rounded[i].bits == known[i].second);
    CHECK(std::isnan(float_of_bf16(rounded[known.size()])));
    CHECK(rounded.back().bits == 0);  // eleven numbers: the twelfth place is padding
    for (size_t count = 1; count <= 40; ++count) {
      const auto random = test::random_floats(count, static_cast<uint32_t>(count));
      CHECK(same_bits(rounded_by(kernels, random), rounded_by(engine::generic::kBf16Kernels, random)));
    }
  });
}

TEST_CASE("bytes of a row are within half a step of its values, and the same on every instruction set") {
  for_every_int8([&](const Int8Kernels& kernels) {
    for (size_t count = 1; count <= 70; ++count) {
      auto values = test::random_floats(count, static_cast<uint32_t>(count), 3.0F);
      if (count % 3 == 0) {
        for (float& value : values) value = std::abs(value);
      }
      if (count % 5 == 0) {
        for (float& value : values) value = -std::abs(value);
      }
      const auto got = quantised_by(kernels, values);
      const auto want = quantised_by(engine::generic::kInt8Kernels, values);
      CHECK(same_bits(got.bytes, want.bytes));
      CHECK(got.code.scale == want.code.scale);
      CHECK(got.code.zero == want.code.zero);
      for (size_t i = 0; i < count; ++i) {
        const float back = got.code.scale * static_cast<float>(int32_t{got.bytes[i]} - got.code.zero);
        // Half a step, and half of one more where the zero point is rounded away from the end of the range.
        if (!(std::abs(back - values[i]) <= 1.0001F * got.code.scale)) FAIL("value ", i, " of ", count);
      }
      for (size_t i = count; i < got.bytes.size(); ++i) CHECK(got.bytes[i] == 0);
    }
  });
}

TEST_CASE("rows of zeros, of one value and of no numbers have bytes too") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for_every_int8([&](const Int8Kernels& kernels) {
    const auto zeros = quantised_by(kernels, std::vector<float>(20));
    CHECK(zeros.code.scale == 1.0F);
    CHECK(zeros.code.zero == 0);
    CHECK(zeros.bytes == std::vector<uint8_t>(20));
    const auto same = quantised_by(kernels, std::vector<float>(20, 2.55F));
    CHECK(same.code.zero == 0);
    CHECK(same.bytes == std::vector<uint8_t>(20, 255));
    const auto below = quantised_by(kernels, std::vector<float>(20, -2.55F));
    CHECK(below.code.zero == 255);
    CHECK(below.bytes == std::vector<uint8_t>(20, 0));
    for (const float bad : {nan, infinity, -infinity}) {
      for (const size_t place : {size_t{0}, size_t{17}}) {
        auto values = test::random_floats(18, 1);
        values[place] = bad;
        CHECK(std::isnan(quantised_by(kernels, values).code.scale));
      }
    }
  });
}

TEST_CASE("keys and values are packed alike on every instruction set, beyond the text and the head with zeros") {
  for_every_bf16([&](const HalfKernels& kernels) {
    for (const size_t head_size : {1, 2, 3, 5, 16, 31, 32, 33, 64, 80}) {
      for (const size_t length : {1, 2, 15, 16, 17, 40}) {
        const size_t stride = 3 * head_size + 1;
        const auto rows = random_bf16(length * stride + 1, 5);
        const size_t keys = engine::whole_panels(length) * kernels.layout.depth(head_size);
        const size_t values = engine::whole_panels(head_size) * kernels.layout.depth(length);
        std::vector<Half> got(std::max(keys, values), Half{7});
        std::vector<Half> want = got;
        const auto task = [&](std::vector<Half>& out) {
          return engine::PackTask{rows.data(), stride, length, head_size, out.data()};
        };
        INFO("head size ", head_size, ", length ", length);
        kernels.pack_keys(task(got));
        engine::generic::pack_keys(task(want), kernels.layout);
        CHECK(same_bits(got, want));
        kernels.pack_values(task(got));
        engine::generic::pack_values(task(want), kernels.layout);
        CHECK(same_bits(got, want));
      }
    }
  });
}

namespace {

/// @param biased  whether the second of the two rows has biases that are not 0
void check_weights(const HalfKernels& kernels, size_t length, bool biased) {
  const size_t stride = length + 3;
  auto scores = test::random_floats(2 * stride, 9, 4.0F);
  const auto exact = scores;
  std::vector<float> biases(2 * stride);
  for (size_t i = 0; i < length; ++i) biases[stride + i] = -0.7F * static_cast<float>(i % 5);
  const std::array<const float*, 2> rows{biases.data(), biases.data() + stride};
  std::vector<Half> weights(2 * stride, Half{7});
  std::vector<float> factors(2);
  kernels.softmax({.scores = scores.data(),
                   .stride = stride,
                   .row_count = 2,
                   .length = length,
                   .scale = 0.3F,
                   .biases = biased ? rows.data() : nullptr,
                   .padded = length + 2,
                   .weights = weights.data(),
                   .weight_stride = stride,
                   .factors = factors.data()});
  for (size_t row = 0; row < 2; ++row) {
    const auto exponential = [&](size_t i) {
      const double bias = biased ? static_cast<double>(biases[row * stride + i]) : 0;
      return std::exp(0.3 * static_cast<double>(exact[row * stride + i]) + bias);
    };
    double total = 0;
    for (size_t i = 0; i < length; ++i) total += exponential(i);
    for (size_t i = 0; i < length; ++i) {
      const double want = exponential(i) / total;
      const double got =
          static_cast<double>(float_of_bf16(weights[row * stride + i])) * static_cast<double>(factors[row]);
      // bf16 keeps eight bits.
      if (!(std::abs(got - want) <= want * 0x1.02p-8)) FAIL("length ", length, ", weight ", i);
    }
    for (const size_t i : {length, length + 1}) CHECK(weights[row * stride + i].bits == 0);
    CHECK(weights[row * stride + length + 2].bits == 7);
  }
}

}  // namespace

TEST_CASE("weights and factors are a softmax in two parts, biases added before it") {
  for_every_bf16([&](const HalfKernels& kernels) {
    for (size_t length = 1; length <= 50; ++length) {
      check_weights(kernels, length, false);
      check_weights(kernels, length, true);
    }
  });
}

/// What the vector formulas may be off besides rounding: gelu's is a coarse one, the others' are within 1e-7.
float allowed_of(model::Activation activation) {
  return activation == model::Activation::gelu ? 8.5e-5F : 1e-7F;
}

TEST_CASE("activations are rounded once") {
  const auto values = test::random_floats(2000, 3, 3.0F);
  for_every_bf16([&](const HalfKernels& kernels) {
    for (const auto& [activation, name] : enum_names(model::Activation{})) {
      INFO("activation ", std::string(name));
      auto room = values;
      std::vector<Half> got(values.size());
      kernels.activate(activation, {room.data(), 1000, 2, 1000, got.data(), 1000});
      auto exact = values;
      engine::generic::kKernels.activate(activation, {exact.data(), 1000, 2, 1000});
      for (size_t i = 0; i < values.size(); ++i) {
        // Half a unit of bf16, and the formula's own error, which may tip the rounding.
        const float allowed = std::abs(exact[i]) * 0x1.01p-8F + 2 * allowed_of(activation);
        if (!(std::abs(float_of_bf16(got[i]) - exact[i]) <= allowed)) FAIL("at ", values[i]);
      }
    }
  });
}

TEST_CASE("activations before bytes are the exact ones up to a coarse formula, at the ends too") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  auto values = test::random_floats(1000, 3, 3.0F);
  values.insert(values.end(), {0.0F, -0.0F, 4.2F, -4.2F, -4.2000003F, 5, -5, 1e30F, -1e30F, kInfinity});
  for_every_int8([&](const Int8Kernels& kernels) {
    for (const auto& [activation, name] : enum_names(model::Activation{})) {
      INFO("activation ", std::string(name));
      auto got = values;
      kernels.activate(activation, {got.data(), got.size(), 1, got.size()});
      auto exact = values;
      engine::generic::kKernels.activate(activation, {exact.data(), exact.size(), 1, exact.size()});
      for (size_t i = 0; i < values.size(); ++i) {
        const float want = exact[i];
        const float allowed = allowed_of(activation) + std::abs(want) * 1e-6F;
        if (!(got[i] == want || std::abs(got[i] - want) <= allowed)) FAIL("at ", values[i], ": ", got[i], ", ", want);
      }
      float nothing = std::numeric_limits<float>::quiet_NaN();
      kernels.activate(activation, {&nothing, 1, 1, 1});
      CHECK(std::isnan(nothing));
    }
  });
}

}  // namespace summand
