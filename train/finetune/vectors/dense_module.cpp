#include "train/finetune/vectors/dense_module.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "model/tensor.hpp"

namespace summand::train {

model::Dense draw_dense(size_t in, size_t out, model::TorchActivation activation, uint64_t seed) {
  RandomStream stream(seed, "initialise: dense module");
  const double most = 1 / std::sqrt(static_cast<double>(in));
  const auto drawn = [&](size_t count) {
    std::vector<float> numbers(count);
    for (float& number : numbers) number = static_cast<float>(most * (2 * stream.uniform() - 1));
    return numbers;
  };
  model::Dense dense;
  dense.weight = model::tensor_of(model::DType::f32, {out, in}, drawn(out * in));
  dense.bias = model::tensor_of(model::DType::f32, {out}, drawn(out));
  dense.activation = activation;
  return dense;
}

}  // namespace summand::train
