#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"
#include "engine/kernels/arithmetic.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/kernel_head_ops.hpp"
#include "engine/layers/rotations.hpp"
#include "model/attention_kind.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// The position and segment encodings inside attention, ready for the engine. Biases that depend on the distance alone,
/// and rotations, run within the fast kernels. All others are computed in single precision by their formula in
/// model/attention, text by text and head by head.
class AttentionEncodings {
 public:
  /// @throws CheckpointError if a parameter is missing
  AttentionEncodings(const Arithmetic& arithmetic, const model::Config& config, const model::Weights& weights);

  /// Whether attention is not BERT's: there is something to add, to rotate or to hide.
  [[nodiscard]] bool any() const { return !encodings_.empty() || causal_; }
  /// Whether attention has to be computed in single precision, on floats.
  [[nodiscard]] bool need_floats() const { return need_floats_; }
  /// What rotates rows where they lie, before they meet; null where nothing does. Where terms need rows as they were,
  /// HeadTerms rotates copies.
  [[nodiscard]] const Rotations* rotations() const { return rotations_ ? &*rotations_ : nullptr; }

 private:
  friend class HeadTerms;

  struct Encoding {
    model::AttentionEncoding encoding;
    bool by_formula = false;  ///< or added from by_distance, or rotated by rotations()
    model::AttentionParameters<float> shared;
    std::vector<model::AttentionParameters<float>> layers;
    /// By layer and head, or by head alone, where layers share them: what is added at each distance from query to key,
    /// −(n − 1) to n − 1 of n positions or segments. Empty, where it does not depend on the distance alone.
    std::vector<std::vector<float>> by_distance;
  };

  void read(Encoding& encoding, const model::Weights& weights);
  [[nodiscard]] KernelHeadOps ops(const Encoding& encoding, size_t layer, size_t head) const;

  const SinglePrecisionKernels& kernels_;
  Precision precision_;
  std::vector<Encoding> encodings_;
  size_t head_count_;
  size_t head_size_;
  size_t layers_;
  double epsilon_;
  double scale_;
  bool causal_;
  bool need_floats_ = false;
  std::optional<Rotations> rotations_;
};

}  // namespace summand::engine
