#include "engine/layers/rotations.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace summand::engine {

Rotations::Rotations(const model::Config& config)
    : head_count_(static_cast<size_t>(config.num_attention_heads)),
      head_size_(static_cast<size_t>(config.head_size())) {
  for (const auto& encoding : config.encodings_in_attention()) {
    const auto* const rotary = std::get_if<model::Rotary>(&encoding.kind);
    if (rotary == nullptr) continue;
    const size_t pairs = head_size_ / 2;
    Rotation& added = rotations_.emplace_back();
    added.rotary = *rotary;
    added.input = encoding.input;
    added.cosines = Matrix<float>(encoding.sizes.positions_or_segments, pairs);
    added.sines = Matrix<float>(encoding.sizes.positions_or_segments, pairs);
    for (size_t row = 0; row < encoding.sizes.positions_or_segments; ++row) {
      for (size_t pair = 0; pair < pairs; ++pair) {
        const double angle = rotary->angle(static_cast<int32_t>(row), pair, head_size_);
        added.cosines(row, pair) = static_cast<float>(std::cos(angle));
        added.sines(row, pair) = static_cast<float>(std::sin(angle));
      }
    }
  }
}

size_t Rotations::Rotation::parts(Columns columns) const {
  if (columns == Columns::queries) return 1;
  return rotary.values ? 3 : 2;
}

void Rotations::rotate_row(const Rotation& rotation, size_t position_or_segment, size_t heads, float* row) const {
  const model::Rotary rotary = rotation.rotary;
  const float* const cosines = rotation.cosines.row(position_or_segment).data();
  const float* const sines = rotation.sines.row(position_or_segment).data();
  for (size_t head = 0; head < heads; ++head, row += head_size_) {
    for (size_t pair = 0; pair < head_size_ / 2; ++pair) {
      const auto [first, second] = rotary.columns_of_pair(pair, head_size_);
      const float a = row[first];
      const float b = row[second];
      row[first] = a * cosines[pair] - b * sines[pair];
      row[second] = b * cosines[pair] + a * sines[pair];
    }
  }
}

void Rotations::rotate(const HalfKernels* rounding, const model::Batch& batch, std::span<const size_t> tokens,
                       Columns columns, Destination rows) const {
  size_t parts = 0;
  for (const Rotation& rotation : rotations_) parts = std::max(parts, rotation.parts(columns));
  const size_t width = parts * head_count_ * head_size_;
  std::vector<float> unrounded(rows.floats == nullptr ? width : 0);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Destination row = from_row(rows, i);
    float* const floats = row.floats == nullptr ? unrounded.data() : row.floats;
    if (row.floats == nullptr) std::transform(row.rounded, row.rounded + width, floats, rounding->to_float);
    for (const Rotation& rotation : rotations_) {
      const auto& all = model::positions_or_segments(rotation.input, batch);
      rotate_row(rotation, static_cast<size_t>(all[tokens[i]]), rotation.parts(columns) * head_count_, floats);
    }
    if (row.floats != nullptr) continue;
    rounding->round({.values = floats,
                     .stride = width,
                     .row_count = 1,
                     .columns = width,
                     .out = row.rounded,
                     .out_stride = row.stride});
  }
}

}  // namespace summand::engine
