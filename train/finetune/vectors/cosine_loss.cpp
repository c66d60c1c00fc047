#include "train/finetune/vectors/cosine_loss.hpp"

namespace summand::train {

at::Tensor row_cosines(const at::Tensor& left, const at::Tensor& right) {
  return at::cosine_similarity(left, right, -1);
}

at::Tensor cosine_loss_sum(const at::Tensor& cosines, const at::Tensor& labels) {
  return at::mse_loss(cosines, labels, at::Reduction::Sum);
}

}  // namespace summand::train
