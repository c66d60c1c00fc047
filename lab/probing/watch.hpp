#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/matrix_view.hpp"
#include "model/taps.hpp"

namespace summand::lab {

/// Calls a function at some points of the forward pass; what it changes, the model goes on with.
template <class Scalar>
class Watch : public model::Taps<Scalar> {
 public:
  using Visit = std::function<void(const model::TapSite& site, MatrixView<Scalar> values)>;

  Watch(std::vector<model::TapPoint> points, Visit visit) : points_(std::move(points)), visit_(std::move(visit)) {}

  [[nodiscard]] bool wants(model::TapPoint point) const override { return std::ranges::count(points_, point) > 0; }
  void visit(const model::TapSite& site, MatrixView<Scalar> values) override { visit_(site, values); }

 private:
  std::vector<model::TapPoint> points_;
  Visit visit_;
};

}  // namespace summand::lab
