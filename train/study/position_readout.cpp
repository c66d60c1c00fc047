#include "train/study/position_readout.hpp"

#include "lab/statistics/circles.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/toeplitz.hpp"

namespace summand::train {

namespace {

/// Rows of the position table where symbols stand.
std::optional<lab::Table> symbol_rows(const Network& network) {
  if (!std::holds_alternative<model::LearnedPositions>(network.config().position)) return std::nullopt;
  const at::Tensor rows =
      network.parameters().at("embeddings.position_embeddings.weight").detach().to(at::kDouble).contiguous();
  const lab::Table table = Eigen::Map<const lab::Table>(rows.data_ptr<double>(), rows.size(0), rows.size(1));
  return table.middleRows(1, table.rows() - 2);
}

}  // namespace

std::optional<double> distance_share(const Network& network) {
  const auto rows = symbol_rows(network);
  if (!rows) return std::nullopt;
  const lab::Table centred = lab::centred(*rows);
  return lab::toeplitz_r2(centred * centred.transpose());
}

std::optional<double> circle_share(const Network& network) {
  const auto rows = symbol_rows(network);
  if (!rows || static_cast<size_t>(rows->rows()) < lab::circle_rule::kLeastRows) return std::nullopt;
  return lab::circles_of(lab::placed_rows(*rows)).share();
}

}  // namespace summand::train
