#include "lab/probing/norm_outputs.hpp"
#include "lab/subject/table_of.hpp"

#include <cmath>
#include <vector>

#include "model/parameters.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

/// Orthonormal directions in which g∘x̂ is 0 for every x̂ of mean 0.
Table alike_in(const Vector& g) {
  std::vector<Index> zeros;
  for (Index i = 0; i < g.size(); ++i) {
    if (g(i) == 0) zeros.push_back(i);
  }
  if (!zeros.empty()) return Table::Identity(g.size(), g.size())(Eigen::all, zeros);
  return (g.cwiseAbs().minCoeff() * g.cwiseInverse()).normalized();
}

}  // namespace

NormOutputs::NormOutputs(const model::Weights& weights, const std::string& name)
    : alike_(alike_in(table_of(weights.at(name + ".weight")).row(0))),
      bias_(table_of(weights.at(name + ".bias")).row(0)),
      scale_(std::sqrt(table_of(weights.at(name + ".weight")).row(0).array().square().mean())) {}

Table NormOutputs::nearest(const Table& rows) const {
  return rows - (rows.rowwise() - bias_.transpose()) * alike_ * alike_.transpose();
}

void NormOutputs::reduce(Table& weight, Vector& bias) const {
  const Table part = weight * alike_;
  weight -= part * alike_.transpose();
  bias += part * (alike_.transpose() * bias_);
}

NormOutputs attention_inputs(const model::Weights& weights, size_t layer) {
  return {weights, layer == 0 ? "embeddings.LayerNorm" : model::layer_parameter(layer - 1, "output.LayerNorm")};
}

}  // namespace summand::lab
