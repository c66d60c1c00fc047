#include "train/network/dropout.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "base/random_stream.hpp"

namespace summand::train {

at::Tensor Dropout::hidden(const at::Tensor& rows, std::string_view name) const {
  return dropped(rows, hidden_, name, begin_.token);
}

DropoutMask Dropout::mask(double rate, std::string_view name) const {
  if (rate <= 0) return {};
  return {RandomStream(seed_, fmt::format("dropout {} {}{}", step_, prefix_, name)).bits(), rate};
}

at::Tensor Dropout::text_classifier(const at::Tensor& rows, std::string_view name) const {
  return dropped(rows, classifier_, name, begin_.text);
}

at::Tensor Dropout::token_classifier(const at::Tensor& rows, std::string_view name) const {
  return dropped(rows, classifier_, name, begin_.token);
}

at::Tensor Dropout::dropped(const at::Tensor& rows, double rate, std::string_view name, size_t first) const {
  if (rate <= 0) return rows;
  const DropoutMask drawn = mask(rate, name).from(static_cast<uint32_t>(first * static_cast<size_t>(rows.size(-1))));
  const at::Tensor factors = at::empty(rows.sizes(), at::kFloat);
  auto* const numbers = factors.mutable_data_ptr<float>();
  at::parallel_for(0, factors.numel(), at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) numbers[i] = drawn.factor(static_cast<uint32_t>(i));
  });
  return rows * factors.to(rows.options());
}

}  // namespace summand::train
