#include "engine/embeddings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "model/position_encoding.hpp"
#include "model/tensor.hpp"

namespace summand::engine {

namespace {

/// Bytes of a table that may stay in memory.
constexpr size_t kLargeTable = size_t{48} << 20U;

EmbeddingTable position_table(const model::Config& config, const model::Weights& weights) {
  switch (config.position.kind) {
    case model::PositionKind::learned:
      return EmbeddingTable(weights.at("embeddings.position_embeddings.weight"));
    case model::PositionKind::sinusoidal:
      return EmbeddingTable(model::sinusoidal_table(config.position,
                                                    static_cast<size_t>(config.max_position_embeddings),
                                                    static_cast<size_t>(config.hidden_size)));
    case model::PositionKind::none:
      return {};
    case model::PositionKind::relative:
    case model::PositionKind::bias:
    case model::PositionKind::alibi:
    case model::PositionKind::rotary:
      throw ConfigError("engine", fmt::format("position encoding '{}' acts inside attention, which is not supported",
                                              model::name_of(config.position.kind)));
  }
  __builtin_unreachable();
}

std::vector<float> row_of(MatrixView<const float> rows, size_t index) {
  const auto row = rows.row(index);
  return {row.begin(), row.end()};
}

}  // namespace

LayerNorm::LayerNorm(const model::Weights& weights, const std::string& name, double epsilon)
    : weight_(model::to_floats(weights.at(name + ".weight"))),
      bias_(model::to_floats(weights.at(name + ".bias"))),
      epsilon_(epsilon) {}

EmbeddingTable::EmbeddingTable(const model::Tensor& tensor) : tensor_(tensor), width_(tensor.shape.at(1)) {
  if (tensor.dtype == model::DType::f32 && tensor.bytes.size() > kLargeTable) return;
  if (const auto floats = model::floats_in_place(tensor_)) {
    in_place_ = floats->data();
  } else {
    converted_ = model::to_floats(tensor);
    tensor_ = {};
  }
}

EmbeddingTable::EmbeddingTable(const Matrix<double>& values) : width_(values.columns()) {
  converted_.reserve(values.elements().size());
  for (const double value : values.elements()) converted_.push_back(static_cast<float>(value));
}

void EmbeddingTable::copy_row(size_t index, std::span<float> to) const {
  if (in_memory()) {
    std::copy_n(data() + index * width_, width_, to.begin());
  } else {
    model::copy_floats(tensor_, index * width_, to);
  }
}

Embeddings::Embeddings(const model::Config& config, const model::Weights& weights)
    : composition_(config.composition),
      hidden_(static_cast<size_t>(config.hidden_size)),
      token_(weights.at("embeddings.word_embeddings.weight")),
      position_(position_table(config, weights)),
      segment_(weights.at("embeddings.token_type_embeddings.weight")),
      norm_(weights, "embeddings.LayerNorm", config.layer_norm_eps),
      parameters_(model::composition_parameters<float>(weights)) {}

void Embeddings::embed(const KernelTable& kernels, const model::Batch& batch, TokenRange range,
                       MatrixView<float> out) const {
  if (composition_ == model::InputComposition::sum) {
    const float* tokens = token_.data();
    const int32_t* ids = batch.ids.data() + range.begin;
    std::vector<int32_t> own_places;
    if (!token_.in_memory()) {
      // The kernel finds row i where it writes row i.
      SUMMAND_ASSERT(out.stride() == hidden_);
      part(PartName::token, batch, range, out);
      tokens = out.data();
      own_places.resize(range.count);
      std::iota(own_places.begin(), own_places.end(), 0);
      ids = own_places.data();
    }
    kernels.embed(norm_.normalisation(), {.token_table = tokens,
                                          .segment_table = segment_.data(),
                                          .position_table = position_.exists() ? position_.data() : nullptr,
                                          .ids = ids,
                                          .segments = batch.segments.data() + range.begin,
                                          .positions = batch.positions.data() + range.begin,
                                          .row_count = range.count,
                                          .out = out.data(),
                                          .out_stride = out.stride()});
    return;
  }
  Matrix<float> position(range.count, hidden_);
  Matrix<float> segment(range.count, hidden_);
  part(PartName::token, batch, range, out);
  part(PartName::position, batch, range, position.view());
  part(PartName::segment, batch, range, segment.view());
  compose({.token = out, .position = position.view(), .segment = segment.view()}, out);
  normalise(kernels, out);
}

void Embeddings::part(PartName name, const model::Batch& batch, TokenRange range, MatrixView<float> out) const {
  const auto copy_rows = [&](const EmbeddingTable& table, const std::vector<int32_t>& indices) {
    for (size_t row = 0; row < range.count; ++row) {
      const auto index = static_cast<size_t>(indices[range.begin + row]);
      if (table.exists()) {
        table.copy_row(index, out.row(row));
      } else {
        std::ranges::fill(out.row(row), 0.0F);
      }
    }
  };
  switch (name) {
    case PartName::token:
      return copy_rows(token_, batch.ids);
    case PartName::position:
      return copy_rows(position_, batch.positions);
    case PartName::segment:
      return copy_rows(segment_, batch.segments);
  }
}

void Embeddings::compose(const model::InputParts<MatrixView<const float>>& parts, MatrixView<float> out) const {
  model::RowOps<float> ops(parameters_);
  for (size_t row = 0; row < out.rows(); ++row) {
    const auto sum = model::compose(composition_, ops,
                                    model::InputParts<std::vector<float>>{.token = row_of(parts.token, row),
                                                                          .position = row_of(parts.position, row),
                                                                          .segment = row_of(parts.segment, row)});
    std::ranges::copy(sum, out.row(row).begin());
  }
}

void Embeddings::normalise(const KernelTable& kernels, MatrixView<float> rows) const {
  kernels.normalise(norm_.normalisation(), {.values = rows.data(),
                                            .value_stride = rows.stride(),
                                            .row_count = rows.rows(),
                                            .out = rows.data(),
                                            .out_stride = rows.stride()});
}

}  // namespace summand::engine
