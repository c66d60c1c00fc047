#include "train/finetune/vectors/gradient_cache.hpp"

#include <c10/core/GradMode.h>

#include <vector>

namespace summand::train {

double add_cached_gradients(size_t parts, const PartVectors& vectors, const VectorLoss& loss) {
  if (parts == 1) {
    const at::Tensor value = loss(vectors(0));
    value.backward();
    return value.item<double>();
  }
  std::vector<at::Tensor> of_parts;
  {
    const at::NoGradGuard no_gradients;
    for (size_t part = 0; part < parts; ++part) of_parts.push_back(vectors(part));
  }
  const at::Tensor all = at::cat(of_parts, 0).set_requires_grad(true);
  const at::Tensor value = loss(all);
  value.backward();
  int64_t begin = 0;
  for (size_t part = 0; part < parts; ++part) {
    const int64_t texts = of_parts[part].size(0);
    vectors(part).backward(all.grad().narrow(0, begin, texts));
    begin += texts;
  }
  return value.item<double>();
}

}  // namespace summand::train
