#include "lab/probing/fold.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"
#include "model/composition.hpp"
#include "model/row_ops.hpp"

namespace summand::lab {

namespace {

using Row = std::vector<float>;
using Parameters = model::RowOps<float>::Parameters;

Row row_of(const Table& table, Eigen::Index index) {
  const auto row = table.row(index);
  Row values(static_cast<size_t>(row.size()));
  for (Eigen::Index i = 0; i < row.size(); ++i) values[static_cast<size_t>(i)] = static_cast<float>(row(i));
  return values;
}

Row folded(const Table& map, const Table& table, Eigen::Index index) {
  return row_of(table.row(index) * map.transpose(), 0);
}

Parameters as_parameters(const Projection& map) {
  const Eigen::Index hidden = map.token.rows();
  Table side_by_side(hidden, 3 * hidden);
  side_by_side << map.token, map.position, map.segment;
  Matrix<float> weight(static_cast<size_t>(hidden), static_cast<size_t>(3 * hidden));
  for (Eigen::Index row = 0; row < hidden; ++row) {
    std::ranges::copy(row_of(side_by_side, row), weight.row(static_cast<size_t>(row)).begin());
  }
  Parameters parameters;
  parameters.emplace("projection.weight", std::move(weight));
  return parameters;
}

}  // namespace

Projection Projection::drawn(Eigen::Index hidden, RandomStream& stream) {
  const auto side = static_cast<size_t>(hidden);
  const double scale = 1 / std::sqrt(static_cast<double>(hidden));
  Projection map;
  map.token = scale * white_noise({side, side}, stream);
  map.position = scale * white_noise({side, side}, stream);
  map.segment = scale * white_noise({side, side}, stream);
  return map;
}

Projection Projection::identity(Eigen::Index hidden) {
  const Table one = Table::Identity(hidden, hidden);
  return {one, one, one};
}

double fold_difference(const Subject& subject, std::span<const SumItem> items, const Projection& map,
                       const Projection& folded_by) {
  const Parameters parameters = as_parameters(map);
  model::RowOps<float> ops(parameters);
  double largest = 0;
  double squares = 0;
  double count = 0;
  for (const auto& item : items) {
    const Row projected = model::compose(model::ConcatenateProject(), ops,
                                         model::InputParts<Row>{.token = row_of(subject.tokens, item.token),
                                                                .position = row_of(subject.positions, item.position),
                                                                .segment = row_of(subject.segments, item.segment)});
    const Row summed =
        model::compose(model::Sum(), ops,
                       model::InputParts<Row>{.token = folded(folded_by.token, subject.tokens, item.token),
                                              .position = folded(folded_by.position, subject.positions, item.position),
                                              .segment = folded(folded_by.segment, subject.segments, item.segment)});
    for (size_t i = 0; i < summed.size(); ++i) {
      largest = std::max(largest, std::abs(double{projected[i]} - double{summed[i]}));
      squares += double{projected[i]} * double{projected[i]};
      ++count;
    }
  }
  return squares > 0 ? largest / std::sqrt(squares / count) : largest;
}

}  // namespace summand::lab
