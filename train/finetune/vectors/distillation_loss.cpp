#include "train/finetune/vectors/distillation_loss.hpp"

namespace summand::train {

at::Tensor distillation_loss_sum(const at::Tensor& vectors, const at::Tensor& teacher) {
  return at::mse_loss(vectors, teacher, at::Reduction::Sum) / static_cast<double>(vectors.size(-1));
}

}  // namespace summand::train
