#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "engine/every_kernel_set.hpp"
#include "engine/kernels/rounding.hpp"

namespace summand::test {

/// Where a number of the depth lies in panels.
inline size_t place_in_panels(engine::PanelLayout layout, size_t depth, size_t k, size_t column) {
  const size_t step = k / layout.per_step * 16 + column % 16;
  return column / 16 * 16 * depth + step * layout.per_step + k % layout.per_step;
}

inline constexpr float kUntouched = -12345.0F;

/// A product of random numbers in bf16, with room behind every row of the output.
struct Bf16Case {
  engine::PanelLayout layout;
  size_t rows, depth, columns;
  std::vector<engine::Half> in, panels;
  std::vector<float> bias, factors, out;

  Bf16Case(engine::PanelLayout lies, size_t row_count, size_t deep, size_t column_count)
      : layout(lies),
        rows(row_count),
        depth(deep),
        columns(column_count),
        in(row_count * deep),
        panels(engine::whole_panels(column_count) * deep),
        bias(random_floats(engine::whole_panels(column_count), 3)),
        factors(random_floats(row_count, 4)),
        out(row_count * (column_count + 3), kUntouched) {
    const auto numbers = random_floats(in.size() + panels.size(), static_cast<uint32_t>(rows * 100 + columns));
    for (size_t i = 0; i < in.size(); ++i) in[i] = engine::to_bf16(numbers[i]);
    for (size_t i = 0; i < panels.size(); ++i) panels[i] = engine::to_bf16(numbers[in.size() + i]);
  }

  /// @param biased  or else with factors of rows
  [[nodiscard]] engine::HalfProductTask task(bool biased) {
    return {.rows = in.data(),
            .row_stride = depth,
            .row_count = rows,
            .depth = depth,
            .panels = panels.data(),
            .bias = biased ? bias.data() : nullptr,
            .row_factors = biased ? nullptr : factors.data(),
            .columns = columns,
            .out = {.floats = out.data(), .stride = columns + 3}};
  }

  void check_output(bool biased) const {
    const size_t stride = columns + 3;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < stride; ++column) {
        const float got = out[row * stride + column];
        if (column >= columns) {
          if (got != kUntouched) FAIL("wrote beyond row ", row);
          continue;
        }
        double want = biased ? static_cast<double>(bias[column]) : 0;
        double magnitude = std::abs(want);
        for (size_t k = 0; k < depth; ++k) {
          const double term = static_cast<double>(float_of_bf16(in[row * depth + k])) *
                              static_cast<double>(float_of_bf16(panels[place_in_panels(layout, depth, k, column)]));
          want += term;
          magnitude += std::abs(term);
        }
        const double factor = biased ? 1 : static_cast<double>(factors[row]);
        // A rounding a term, of at most a unit in the last place of what is summed.
        const double allowed = magnitude * static_cast<double>(depth + 2) * 0x1p-23 * std::max(std::abs(factor), 1.0);
        if (!(std::abs(static_cast<double>(got) - want * factor) <= allowed)) {
          FAIL("row ", row, ", column ", column, ": ", got, ", expected ", want * factor);
        }
      }
    }
  }
};

/// Calls check(rows, columns) for every remainder that tiles may leave.
template <class Check>
void for_every_remainder(const Check& check) {
  for (const size_t rows : {1, 2, 3, 4, 5, 6, 7, 11, 15, 16, 17, 31, 32, 33, 40, 47, 48, 49, 65}) {
    for (const size_t columns : {1, 4, 15, 16, 17, 32, 33, 48, 49, 70}) check(rows, columns);
  }
}

/// multiply(task) agrees with double precision, whatever remains of rows and columns.
template <class Multiply>
void check_bf16_product(engine::PanelLayout layout, const Multiply& multiply) {
  for_every_remainder([&](size_t rows, size_t columns) {
    for (const size_t depth : {layout.depth_multiple, 3 * layout.depth_multiple}) {
      INFO(rows, " × ", depth, " × ", columns);
      Bf16Case numbers(layout, rows, depth, columns);
      for (const bool biased : {true, false}) {
        multiply(numbers.task(biased));
        numbers.check_output(biased);
      }
    }
  });
}

/// A row of a product has the same bits whatever rows are beside it.
template <class Multiply>
void check_rows_alone(engine::PanelLayout layout, const Multiply& multiply) {
  const size_t depth = 3 * layout.depth_multiple;
  Bf16Case numbers(layout, 65, depth, 70);
  multiply(numbers.task(true));
  const auto together = numbers.out;
  for (const size_t first : {0, 1, 15, 16, 30, 64}) {
    for (size_t count = 1; first + count <= 65; count += 7) {
      std::vector<float> some(count * 73, kUntouched);
      engine::HalfProductTask task = numbers.task(true);
      task.rows += first * depth;
      task.row_count = count;
      task.out.floats = some.data();
      multiply(task);
      if (std::memcmp(some.data(), together.data() + first * 73, some.size() * sizeof(float)) != 0) {
        FAIL("rows ", first, " to ", first + count);
      }
    }
  }
}

/// multiply(task) is the exact sum of products of bytes, scaled once.
template <class Multiply>
void check_int8_product(engine::PanelLayout layout, const Multiply& multiply) {
  std::mt19937 random(1);
  for_every_remainder([&](size_t rows, size_t columns) {
    for (const size_t depth : {layout.depth_multiple, 2 * layout.depth_multiple}) {
      const size_t padded = engine::whole_panels(columns);
      std::vector<uint8_t> in(rows * depth);
      std::vector<int8_t> panels(padded * depth);
      std::vector<int32_t> sums(padded);
      for (auto& byte : in) byte = static_cast<uint8_t>(random());
      for (size_t k = 0; k < depth; ++k) {
        for (size_t column = 0; column < padded; ++column) {
          const auto byte = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
          panels[place_in_panels(layout, depth, k, column)] = byte;
          sums[column] += byte;
        }
      }
      const auto scales = random_floats(padded, 4);
      const auto bias = random_floats(padded, 5);
      std::vector<engine::RowQuantization> codes(rows);
      for (auto& code : codes) code = {.scale = 0.01F, .zero = static_cast<int32_t>(random() % 256)};
      std::vector<float> out(rows * columns);
      multiply(engine::Int8ProductTask{.rows = in.data(),
                                       .row_stride = depth,
                                       .codes = codes.data(),
                                       .row_count = rows,
                                       .depth = depth,
                                       .panels = panels.data(),
                                       .column_scales = scales.data(),
                                       .column_sums = sums.data(),
                                       .bias = bias.data(),
                                       .columns = columns,
                                       .out = {.floats = out.data(), .stride = columns}});
      for (size_t row = 0; row < rows; ++row) {
        for (size_t column = 0; column < columns; ++column) {
          int64_t total = 0;
          for (size_t k = 0; k < depth; ++k) {
            total +=
                (int64_t{in[row * depth + k]} - codes[row].zero) * panels[place_in_panels(layout, depth, k, column)];
          }
          const float want = std::fma(static_cast<float>(total), scales[column] * codes[row].scale, bias[column]);
          if (out[row * columns + column] != want) FAIL(rows, " × ", depth, " × ", columns, ": row ", row);
        }
      }
    }
  });
}

}  // namespace summand::test
