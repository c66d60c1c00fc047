#include "train/dropout.hpp"

#include <fmt/format.h>

#include "base/random_stream.hpp"

namespace summand::train {

at::Tensor Dropout::hidden(const at::Tensor& rows, std::string_view name) const {
  return dropped(rows, hidden_, name);
}

at::Tensor Dropout::attention(const at::Tensor& weights, std::string_view name) const {
  return dropped(weights, attention_, name);
}

at::Tensor Dropout::dropped(const at::Tensor& values, double rate, std::string_view name) const {
  if (rate <= 0) return values;
  at::Generator generator = at::globalContext().defaultGenerator(values.device()).clone();
  generator.set_current_seed(RandomStream(seed_, fmt::format("dropout {} {}", step_, name)).bits());
  const at::Tensor kept = at::empty_like(values.detach()).bernoulli_(1 - rate, generator).div_(1 - rate);
  return values * kept;
}

}  // namespace summand::train
