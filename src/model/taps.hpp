#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"
#include "summand/taps.hpp"

namespace summand::model {

using summand::TapPoint;

/// Which visit this is. `layer` counts from 0 and is 0 for the embedding points, `head` is 0 where a point has none.
struct TapSite {
  TapPoint point = TapPoint::sum;
  size_t text = 0;
  size_t layer = 0;
  size_t head = 0;
};

/// Watches the forward pass, or replaces what passes. The same interface serves the reference at every scalar and the
/// engine, which calls taps on one thread, text by text.
template <class Scalar>
class Taps {
 public:
  Taps() = default;
  Taps(const Taps&) = delete;
  Taps& operator=(const Taps&) = delete;
  virtual ~Taps() = default;

  /// Whether to call visit() for a point. Without scores and attention the fast kernels run.
  [[nodiscard]] virtual bool wants(TapPoint point) const = 0;
  /// May read and change the values; the model continues with the changed ones.
  virtual void visit(const TapSite& site, MatrixView<Scalar> values) = 0;
};

}  // namespace summand::model
