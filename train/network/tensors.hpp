#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/parameter.hpp"
#include "model/weights.hpp"

namespace summand::train {

/// Type and device of tensors.
struct Placement {
  at::ScalarType type = at::kFloat;
  at::Device device = at::kCPU;
};

[[nodiscard]] at::Tensor tensor_of(const Matrix<double>& numbers, const Placement& placement);
[[nodiscard]] at::Tensor index_tensor(std::span<const int32_t> indices, const Placement& placement);
[[nodiscard]] at::Tensor index_tensor(const std::vector<size_t>& indices, const Placement& placement);
/// [rows, columns]
[[nodiscard]] at::Tensor index_tensor(const Matrix<int32_t>& indices, const Placement& placement);

/// A copy, as F32.
[[nodiscard]] model::Tensor weight_of(const at::Tensor& tensor);

/// A model's parameters, in the order of their contract, with gradients except for those that training does not change.
class Parameters {
 public:
  /// @param more  parameters besides the model's own, such as a dense module's behind it
  /// @throws CheckpointError if one is missing
  Parameters(const model::Config& config, const model::ModelParts& parts, const model::Weights& weights,
             const Placement& placement, std::span<const model::Parameter> more = {});

  /// Some of another's tensors under other names: a gradient of one is that of the other.
  /// @param renamed  a name here by a name there; empty: left out
  Parameters(const Parameters& others, const std::function<std::string_view(std::string_view)>& renamed);

  [[nodiscard]] const at::Tensor* find(const std::string& name) const;
  /// @throws CheckpointError if there is none
  [[nodiscard]] const at::Tensor& at(const std::string& name) const;
  /// (name, tensor)
  [[nodiscard]] const std::vector<std::pair<std::string, at::Tensor>>& all() const { return all_; }
  /// The parameter's group, by its name in the contract: "token_table".
  [[nodiscard]] std::string part_of(const std::string& name) const { return parts_.at(name); }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  /// Copies, as F32.
  [[nodiscard]] model::Weights weights() const;

 private:
  void add(const model::Parameter& parameter, const model::Weights& weights);

  Placement placement_;
  std::vector<std::pair<std::string, at::Tensor>> all_;
  std::map<std::string, std::string> parts_;
};

}  // namespace summand::train
