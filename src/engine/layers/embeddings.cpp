#include "engine/layers/embeddings.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "base/assert.hpp"
#include "base/matrix.hpp"
#include "model/input_rows.hpp"
#include "model/position.hpp"

namespace summand::engine {

namespace {

std::optional<EmbeddingTable> position_table(const model::Config& config, const model::Weights& weights,
                                             size_t largest_in_memory) {
  if (const model::Tensor* rows = model::position_rows(config.position, weights)) {
    return EmbeddingTable(*rows, largest_in_memory);
  }
  const auto table = model::position_table(config.position, config.position_table_size(), weights);
  if (!table) return std::nullopt;
  return EmbeddingTable(*table);
}

EmbeddingTable segment_table(const model::Config& config, const model::Weights& weights, size_t width,
                             size_t largest_in_memory) {
  switch (config.segment) {
    case model::SegmentKind::learned:
      return {weights.at("embeddings.token_type_embeddings.weight"), largest_in_memory};
    case model::SegmentKind::none:
      return EmbeddingTable(Matrix<double>(static_cast<size_t>(config.type_vocab_size), width));
  }
  __builtin_unreachable();
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
    : config_(config),
      is_plain_(config.normalise_input && std::holds_alternative<model::Sum>(config.composition)),
      hidden_(static_cast<size_t>(config.hidden_size)),
      widths_(config.part_widths()),
      token_(weights.at("embeddings.word_embeddings.weight"), largest_table_in_memory),
      position_(position_table(config, weights, largest_table_in_memory)),
      segment_(segment_table(config, weights, widths_.segment, largest_table_in_memory)),
      composed_(config.composition, hidden_, weights) {
  if (config.normalise_input) norm_.emplace(weights, "embeddings.LayerNorm", config.layer_norm_eps);
}

void Embeddings::embed(const SinglePrecisionKernels& kernels, const model::Batch& batch, size_t text,
                       MatrixView<float> out) const {
  if (is_plain_) return sum(kernels, batch, text, out);
  compose(kernels, parts(batch, text), out);
  normalise(kernels, out);
}

void Embeddings::sum(const SinglePrecisionKernels& kernels, const model::Batch& batch, size_t text,
                     MatrixView<float> out) const {
  GatheredRows gathered(batch.length(text), hidden_);
  // Copied token rows go where the sums go: the kernel has read row i before it writes there.
  const model::InputRows rows(config_, batch, text);
  const KernelRows token = gathered.rows(token_, rows.token(), out);
  const KernelRows segment = gathered.rows(segment_, rows.segment());
  const KernelRows position = position_ ? gathered.rows(*position_, rows.position()) : KernelRows();
  kernels.embed(norm_->normalisation(), {.token_table = token.table,
                                         .segment_table = segment.table,
                                         .position_table = position.table,
                                         .ids = token.indices,
                                         .segments = segment.indices,
                                         .positions = position.indices,
                                         .row_count = batch.length(text),
                                         .out = out.data(),
                                         .out_stride = out.stride()});
}

void Embeddings::part(PartName name, const model::Batch& batch, size_t text, MatrixView<float> out) const {
  const model::InputRows rows(config_, batch, text);
  switch (name) {
    case PartName::token:
      return copy_rows(token_, rows.token(), out);
    case PartName::position:
      if (position_) return copy_rows(*position_, rows.position(), out);
      for (size_t row = 0; row < out.rows(); ++row) std::ranges::fill(out.row(row), 0.0F);
      return;
    case PartName::segment:
      return copy_rows(segment_, rows.segment(), out);
  }
}

model::InputParts<Matrix<float>> Embeddings::parts(const model::Batch& batch, size_t text) const {
  const auto rows = [&](PartName name, size_t width) {
    Matrix<float> values(batch.length(text), width);
    part(name, batch, text, values.view());
    return values;
  };
  return {.token = rows(PartName::token, widths_.token),
          .position = rows(PartName::position, widths_.position),
          .segment = rows(PartName::segment, widths_.segment)};
}

void Embeddings::normalise(const SinglePrecisionKernels& kernels, MatrixView<float> rows) const {
  if (!norm_) return;
  kernels.normalise(norm_->normalisation(), {.values = rows.data(),
                                             .value_stride = rows.stride(),
                                             .row_count = rows.rows(),
                                             .out = rows.data(),
                                             .out_stride = rows.stride()});
}

}  // namespace summand::engine
