#pragma once

#include <algorithm>
#include <cstddef>

#include "base/assert.hpp"
#include "base/matrix_view.hpp"
#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/single_precision.hpp"

namespace summand::engine {

/// Writes the rows of a weight as columns of a product's panels: [panels of 16 columns, depth / per_step, 16,
/// per_step]. A panel is written from front to back, whole lines at a time.
/// @param rows    [outputs, in]; beyond `in` the panels keep what they hold, zeros
/// @param column  of the first row
/// @param depth   a multiple of `per_step`, at least `in`
template <class Number, size_t per_step>
void pack_rows(MatrixView<const Number> rows, size_t column, size_t depth, Number* panels) {
  for (size_t done = 0; done < rows.rows();) {
    const size_t lane = (column + done) % kPanelWidth;
    const size_t lanes = std::min(kPanelWidth - lane, rows.rows() - done);
    Number* const panel = panels + (column + done) / kPanelWidth * kPanelWidth * depth;
    const Number* const from = rows.data() + done * rows.stride();
    const size_t whole = rows.columns() / per_step * per_step;
    for (size_t k = 0; k < rows.columns(); k += per_step) {
      Number* const to = panel + k * kPanelWidth + lane * per_step;
      for (size_t row = 0; row < lanes; ++row) {
        const Number* const step = from + row * rows.stride() + k;
        // Of a size that the compiler knows wherever possible: one move.
        if (k < whole) {
          std::copy_n(step, per_step, to + row * per_step);
        } else {
          std::copy_n(step, rows.columns() - whole, to + row * per_step);
        }
      }
    }
    done += lanes;
  }
}

/// The same in a layout.
/// @param rows  [outputs, in]; beyond `in` the panels keep what they hold, zeros
template <class Number>
void pack_rows(MatrixView<const Number> rows, size_t column, PanelLayout layout, Number* panels) {
  const size_t depth = layout.depth(rows.columns());
  switch (layout.per_step) {
    case 2:
      return pack_rows<Number, 2>(rows, column, depth, panels);
    case 4:
      return pack_rows<Number, 4>(rows, column, depth, panels);
    case 8:
      return pack_rows<Number, 8>(rows, column, depth, panels);
    default:
      SUMMAND_ASSERT(layout.per_step == 1);
      return pack_rows<Number, 1>(rows, column, depth, panels);
  }
}

}  // namespace summand::engine
