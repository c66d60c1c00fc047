#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"
#include "engine/kernels.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/input_composition.hpp"
#include "model/row_ops.hpp"
#include "model/tensor.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// Layer normalisation's parameters, [hidden] each.
class LayerNorm {
 public:
  /// @param name  as in "embeddings.LayerNorm"
  LayerNorm(const model::Weights& weights, const std::string& name, double epsilon);

  [[nodiscard]] Normalisation normalisation() const {
    return {.weight = weight_.data(), .bias = bias_.data(), .width = weight_.size(), .epsilon = epsilon_};
  }

 private:
  std::vector<float> weight_;
  std::vector<float> bias_;
  double epsilon_;
};

/// A table of rows. It is read where it lies (often in a mapped file) if it is aligned F32, and converted once
/// otherwise. Of a large one in F32 each row is copied out of the file when it is wanted, and none stays in memory.
class EmbeddingTable {
 public:
  EmbeddingTable() = default;
  explicit EmbeddingTable(const model::Tensor& tensor);
  explicit EmbeddingTable(const Matrix<double>& values);

  [[nodiscard]] bool exists() const { return width_ > 0; }
  /// Whether data() has the rows.
  [[nodiscard]] bool in_memory() const { return data() != nullptr; }
  [[nodiscard]] const float* data() const { return in_place_ != nullptr ? in_place_ : converted_.data(); }

  /// @param to  [width]
  /// @throws IoError if the row lies in a file that cannot be read any more
  void copy_row(size_t index, std::span<float> to) const;

 private:
  model::Tensor tensor_;  // holds the owner of in_place_, or the rows of a large table
  size_t width_ = 0;
  const float* in_place_ = nullptr;
  std::vector<float> converted_;
};

/// Consecutive tokens of a batch.
struct TokenRange {
  size_t begin = 0;
  size_t count = 0;
};

/// The input of the encoder: three rows per token, composed and normalised.
class Embeddings {
 public:
  Embeddings(const model::Config& config, const model::Weights& weights);

  /// Hidden state 0 of some tokens. The plain sum runs in a fused kernel, every other composition in model::compose.
  /// @param out  [range.count, hidden]
  void embed(const KernelTable& kernels, const model::Batch& batch, TokenRange range, MatrixView<float> out) const;

  /// One of the three rows of some tokens, [range.count, hidden]; without position information, positions are zeros.
  enum class PartName { token, position, segment };
  void part(PartName name, const model::Batch& batch, TokenRange range, MatrixView<float> out) const;

  /// out = compose(parts), before normalisation. `out` may be one of the parts.
  void compose(const model::InputParts<MatrixView<const float>>& parts, MatrixView<float> out) const;
  void normalise(const KernelTable& kernels, MatrixView<float> rows) const;

 private:
  model::InputComposition composition_;
  size_t hidden_;
  EmbeddingTable token_;
  EmbeddingTable position_;
  EmbeddingTable segment_;
  LayerNorm norm_;
  model::RowOps<float>::Parameters parameters_;
};

}  // namespace summand::engine
