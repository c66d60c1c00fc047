#include "train/network/dropout.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "base/random_stream.hpp"

namespace summand::train {

at::Tensor Dropout::hidden(const at::Tensor& rows, std::string_view name) const {
  return dropped(rows, hidden_, name);
}

DropoutMask Dropout::mask(double rate, std::string_view name) const {
  if (rate <= 0) return {};
  return {RandomStream(seed_, fmt::format("dropout {} {}", step_, name)).bits(), rate};
}

at::Tensor Dropout::classifier(const at::Tensor& rows, std::string_view name) const {
  return dropped(rows, classifier_, name);
}

at::Tensor Dropout::dropped(const at::Tensor& values, double rate, std::string_view name) const {
  if (rate <= 0) return values;
  const DropoutMask drawn = mask(rate, name);
  const at::Tensor factors = at::empty(values.sizes(), at::kFloat);
  auto* const numbers = factors.mutable_data_ptr<float>();
  at::parallel_for(0, factors.numel(), at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) numbers[i] = drawn.factor(static_cast<uint32_t>(i));
  });
  return values * factors.to(values.options());
}

}  // namespace summand::train
