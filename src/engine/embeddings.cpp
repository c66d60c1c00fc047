#include "engine/embeddings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <span>
#include <string>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/matrix.hpp"
#include "model/position_encoding.hpp"

namespace summand::engine {

namespace {

std::optional<EmbeddingTable> position_table(const model::Config& config, const model::Weights& weights,
                                             size_t largest_in_memory) {
  switch (config.position.kind) {
    case model::PositionKind::learned:
      return EmbeddingTable(weights.at("embeddings.position_embeddings.weight"), largest_in_memory);
    case model::PositionKind::sinusoidal:
      return EmbeddingTable(model::sinusoidal_table(config.position,
                                                    static_cast<size_t>(config.max_position_embeddings),
                                                    static_cast<size_t>(config.hidden_size)));
    case model::PositionKind::none:
      return std::nullopt;
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

std::span<const int32_t> some(const std::vector<int32_t>& indices, Range tokens) {
  return std::span(indices).subspan(tokens.begin, tokens.size());
}

void copy_rows(const EmbeddingTable& table, std::span<const int32_t> indices, MatrixView<float> out) {
  for (size_t row = 0; row < indices.size(); ++row) table.copy_row(static_cast<size_t>(indices[row]), out.row(row));
}

/// A table as the fused kernel reads it: floats, and which of their rows belongs to each token.
struct KernelRows {
  const float* table = nullptr;
  const int32_t* indices = nullptr;
};

/// Makes tables ready for the kernel: rows that are left in the file are copied, token i's to row i.
class GatheredRows {
 public:
  GatheredRows(size_t tokens, size_t width) : tokens_(tokens), width_(width) {}

  /// @param to  [tokens, width], one row after the other, where rows that have to be copied go
  KernelRows rows(const EmbeddingTable& table, std::span<const int32_t> indices, MatrixView<float> to) {
    if (const auto all = table.in_memory()) return {all->data(), indices.data()};
    SUMMAND_ASSERT(to.stride() == width_);
    copy_rows(table, indices, to);
    if (own_places_.empty()) {
      own_places_.resize(tokens_);
      std::iota(own_places_.begin(), own_places_.end(), 0);
    }
    return {to.data(), own_places_.data()};
  }
  /// The same, where rows that have to be copied go into memory of this object.
  KernelRows rows(const EmbeddingTable& table, std::span<const int32_t> indices) {
    if (table.in_memory()) return rows(table, indices, MatrixView<float>());
    copies_.emplace_back(tokens_, width_);
    return rows(table, indices, copies_.back().view());
  }

 private:
  size_t tokens_;
  size_t width_;
  std::vector<int32_t> own_places_;
  std::deque<Matrix<float>> copies_;
};

}  // namespace

LayerNorm::LayerNorm(const model::Weights& weights, const std::string& name, double epsilon)
    : weight_(model::to_floats(weights.at(name + ".weight"))),
      bias_(model::to_floats(weights.at(name + ".bias"))),
      epsilon_(epsilon) {}

Embeddings::Embeddings(const model::Config& config, const model::Weights& weights, size_t largest_table_in_memory)
    : composition_(config.composition),
      hidden_(static_cast<size_t>(config.hidden_size)),
      token_(weights.at("embeddings.word_embeddings.weight"), largest_table_in_memory),
      position_(position_table(config, weights, largest_table_in_memory)),
      segment_(weights.at("embeddings.token_type_embeddings.weight"), largest_table_in_memory),
      norm_(weights, "embeddings.LayerNorm", config.layer_norm_eps),
      parameters_(model::composition_parameters<float>(weights)) {}

void Embeddings::embed(const KernelTable& kernels, const model::Batch& batch, Range tokens,
                       MatrixView<float> out) const {
  if (composition_ == model::InputComposition::sum) return sum(kernels, batch, tokens, out);
  Matrix<float> position(tokens.size(), hidden_);
  Matrix<float> segment(tokens.size(), hidden_);
  part(PartName::token, batch, tokens, out);
  part(PartName::position, batch, tokens, position.view());
  part(PartName::segment, batch, tokens, segment.view());
  compose({.token = out, .position = position.view(), .segment = segment.view()}, out);
  normalise(kernels, out);
}

void Embeddings::sum(const KernelTable& kernels, const model::Batch& batch, Range tokens, MatrixView<float> out) const {
  GatheredRows gathered(tokens.size(), hidden_);
  // Copied token rows go where the sums go: the kernel has read row i before it writes there.
  const KernelRows token = gathered.rows(token_, some(batch.ids, tokens), out);
  const KernelRows segment = gathered.rows(segment_, some(batch.segments, tokens));
  const KernelRows position = position_ ? gathered.rows(*position_, some(batch.positions, tokens)) : KernelRows();
  kernels.embed(norm_.normalisation(), {.token_table = token.table,
                                        .segment_table = segment.table,
                                        .position_table = position.table,
                                        .ids = token.indices,
                                        .segments = segment.indices,
                                        .positions = position.indices,
                                        .row_count = tokens.size(),
                                        .out = out.data(),
                                        .out_stride = out.stride()});
}

void Embeddings::part(PartName name, const model::Batch& batch, Range tokens, MatrixView<float> out) const {
  switch (name) {
    case PartName::token:
      return copy_rows(token_, some(batch.ids, tokens), out);
    case PartName::position:
      if (position_) return copy_rows(*position_, some(batch.positions, tokens), out);
      for (size_t row = 0; row < out.rows(); ++row) std::ranges::fill(out.row(row), 0.0F);
      return;
    case PartName::segment:
      return copy_rows(segment_, some(batch.segments, tokens), out);
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
