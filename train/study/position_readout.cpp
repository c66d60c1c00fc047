#include "train/study/position_readout.hpp"

#include "lab/statistics/moments.hpp"
#include "lab/statistics/toeplitz.hpp"

namespace summand::train {

std::optional<double> distance_share(const Network& network) {
  if (!std::holds_alternative<model::LearnedPositions>(network.config().position)) return std::nullopt;
  const at::Tensor rows =
      network.parameters().at("embeddings.position_embeddings.weight").detach().to(at::kDouble).contiguous();
  lab::Table table = Eigen::Map<const lab::Table>(rows.data_ptr<double>(), rows.size(0), rows.size(1));
  const Eigen::Index symbols = table.rows() - 2;
  const lab::Table centred = lab::centred(table.middleRows(1, symbols));
  return lab::toeplitz_r2(centred * centred.transpose());
}

}  // namespace summand::train
