#include "model/weights.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"

namespace summand::model {

void Weights::set(std::string name, Tensor tensor) {
  tensors_.insert_or_assign(std::move(name), std::move(tensor));
}

void Weights::erase(std::string_view name) {
  if (const auto found = tensors_.find(name); found != tensors_.end()) tensors_.erase(found);
}

const Tensor* Weights::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

const Tensor& Weights::at(std::string_view name) const {
  if (const Tensor* tensor = find(name)) return *tensor;
  throw CheckpointError("weights", fmt::format("'{}' is missing", name));
}

}  // namespace summand::model
