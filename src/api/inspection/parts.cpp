#include "api/inspection/parts.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "api/inspection/row_math.hpp"
#include "model/batch.hpp"
#include "model/composition.hpp"
#include "model/input_rows.hpp"

namespace summand::api {

namespace {

using model::Addend;
using model::RowInParts;
using Row = RowInParts::Row;

/// Sum of products of deviations from the two means: covariance without its divisor, which a share does not need.
double codeviation(std::span<const double> a, std::span<const double> b) {
  const auto count = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / count;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / count;
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += (a[i] - mean_a) * (b[i] - mean_b);
  return total;
}

/// Indices of one token's rows.
struct RowIndices {
  size_t token, position, segment;  ///< of the tables
  size_t id, place;                 ///< of the text
};

std::vector<RowIndices> row_indices(const InputTables& tables, const text::Encoding& encoding,
                                    const InputChange& change) {
  model::Batch batch;
  batch.add(encoding.ids, encoding.segments);
  if (!change.positions.empty()) batch.positions.assign(change.positions.begin(), change.positions.end());
  const model::InputRows rows(tables.config, batch, 0);
  std::vector<RowIndices> indices;
  for (size_t t = 0; t < encoding.ids.size(); ++t) {
    indices.push_back({.token = static_cast<size_t>(rows.token()[t]),
                       .position = static_cast<size_t>(rows.position()[t]),
                       .segment = static_cast<size_t>(rows.segment()[t]),
                       .id = static_cast<size_t>(encoding.ids[t]),
                       .place = static_cast<size_t>(batch.positions[t])});
  }
  return indices;
}

Row copy_of(std::span<const double> row) {
  return {row.begin(), row.end()};
}

RowInParts of_one_part(Addend part, Row row) {
  RowInParts value;
  value.of(part) = std::move(row);
  return value;
}

/// The rows as they are; a joint table's is of the three together.
model::InputParts<RowInParts> whole_rows(const InputTables& tables, const RowIndices& at) {
  return {.token = of_one_part(tables.joint ? Addend::together : Addend::token, copy_of(tables.token.row(at.token))),
          .position = of_one_part(Addend::position, copy_of(tables.position.row(at.position))),
          .segment = of_one_part(Addend::segment, copy_of(tables.segment.row(at.segment)))};
}

/// The composition of the uncentred rows, [tokens].
std::vector<RowInParts> whole_inputs(const InputTables& tables, const text::Encoding& encoding,
                                     const InputChange& change) {
  std::vector<RowInParts> inputs;
  for (const RowIndices& at : row_indices(tables, encoding, change)) {
    model::PartOps ops(tables.composition);
    inputs.push_back(model::compose(tables.config.composition, ops, whole_rows(tables, at)));
  }
  return inputs;
}

RowInParts centred(Addend part, std::span<const double> row, const Row& mean) {
  RowInParts value = of_one_part(part, difference(row, mean));
  value.of(Addend::common) = mean;
  return value;
}

/// A joint table's row: the mean row, the main effects of its token, position and segment, and the rest.
RowInParts joint_row(const InputTables& tables, const RowIndices& at) {
  const auto& effects = *tables.joint;
  RowInParts value;
  value.of(Addend::common) = tables.token_mean;
  value.of(Addend::token) = copy_of(effects.token.row(at.id));
  value.of(Addend::position) = copy_of(effects.position.row(at.place));
  value.of(Addend::segment) = copy_of(effects.segment.row(at.segment));
  value.of(Addend::together) = difference(tables.token.row(at.token), value.total());
  return value;
}

RowInParts times(RowInParts value, Addend part, double factor) {
  for (double& x : value.of(part)) x *= factor;
  return value;
}

/// Each row as its table's mean row and the rest.
model::InputParts<RowInParts> centred_rows(const InputTables& tables, const RowIndices& at, const InputChange& change) {
  auto token =
      tables.joint ? joint_row(tables, at) : centred(Addend::token, tables.token.row(at.token), tables.token_mean);
  auto position = centred(Addend::position, tables.position.row(at.position), tables.position_mean);
  auto segment = centred(Addend::segment, tables.segment.row(at.segment), tables.segment_mean);
  return {.token = times(std::move(token), Addend::token, change.token),
          .position = times(std::move(position), Addend::position, change.position),
          .segment = times(std::move(segment), Addend::segment, change.segment)};
}

/// The addends of every token of one text, each [length, hidden], and their sum. An addend that is 0 for every token is
/// empty.
struct Addends {
  std::array<Matrix<double>, model::kAddends.size()> of;
  Matrix<double> sum;

  [[nodiscard]] const Matrix<double>& at(Addend addend) const { return of[static_cast<size_t>(addend)]; }
  [[nodiscard]] bool has(Addend addend) const { return at(addend).rows() > 0; }
};

Addends addends_of(const std::vector<InputInParts>& inputs) {
  Addends addends;
  const auto put = [&](const Row& row, size_t token, Matrix<double>& to) {
    if (to.rows() == 0) to = Matrix<double>(inputs.size(), row.size());
    std::ranges::copy(row, to.row(token).begin());
  };
  for (size_t t = 0; t < inputs.size(); ++t) {
    for (const Addend addend : model::kAddends) {
      const Row& row = inputs[t].row.of(addend);
      if (!row.empty()) put(row, t, addends.of[static_cast<size_t>(addend)]);
    }
    put(inputs[t].row.total(), t, addends.sum);
  }
  return addends;
}

double norm_of(const RowInParts& row, Addend addend) {
  return norm(row.of(addend));
}

std::optional<double> together_norm_of(const RowInParts& row) {
  if (row.of(Addend::together).empty()) return std::nullopt;
  return norm_of(row, Addend::together);
}

/// @param share_of  of one addend
template <class ShareOf>
PartShares shares_of(const Addends& addends, const ShareOf& share_of) {
  const auto share = [&](Addend addend) { return addends.has(addend) ? share_of(addends.at(addend)) : 0.0; };
  PartShares shares{.common = share(Addend::common),
                    .token = share(Addend::token),
                    .position = share(Addend::position),
                    .segment = share(Addend::segment),
                    .together = {}};
  if (addends.has(Addend::together)) shares.together = share(Addend::together);
  return shares;
}

PartShares shares_over_coordinates(const Addends& addends, size_t token) {
  const auto x = addends.sum.row(token);
  const double variance = codeviation(x, x);
  return shares_of(addends, [&](const Matrix<double>& addend) {
    return variance > 0 ? codeviation(addend.row(token), x) / variance : 0.0;
  });
}

/// @param tokens  to include
PartShares shares_over_tokens(const Addends& addends, std::span<const size_t> tokens) {
  const auto column = [&](const Matrix<double>& matrix, size_t i) {
    Row values;
    for (const size_t t : tokens) values.push_back(matrix(t, i));
    return values;
  };
  const auto codeviation_with_sum = [&](const Matrix<double>& addend) {
    double total = 0;
    for (size_t i = 0; i < addends.sum.columns() && !tokens.empty(); ++i) {
      const Row values = column(addend, i);
      const bool varies = std::ranges::any_of(values, [&](double value) { return value != values[0]; });
      if (varies) total += codeviation(values, column(addends.sum, i));
    }
    return total;
  };
  const double variance = codeviation_with_sum(addends.sum);
  return shares_of(addends, [&](const Matrix<double>& addend) {
    return variance > 0 ? codeviation_with_sum(addend) / variance : 0.0;
  });
}

}  // namespace

std::vector<InputInParts> input_in_parts(const InputTables& tables, const text::Encoding& encoding,
                                         const InputChange& change) {
  std::vector<InputInParts> inputs;
  for (const RowIndices& at : row_indices(tables, encoding, change)) {
    model::PartOps ops(tables.composition);
    auto row = model::compose(tables.config.composition, ops, centred_rows(tables, at, change));
    inputs.push_back({.row = std::move(row), .gates = ops.gates()});
  }
  return inputs;
}

TextParts parts_of(const InputTables& tables, const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                   const InputChange& change) {
  const auto inputs = input_in_parts(tables, encoding, change);
  const auto whole = whole_inputs(tables, encoding, change);
  const Addends addends = addends_of(inputs);
  TextParts parts;
  for (size_t t = 0; t < inputs.size(); ++t) {
    const RowInParts& row = inputs[t].row;
    parts.tokens.push_back({.token = std::string(tokenizer.token(encoding.ids[t])),
                            .position = change.positions.empty() ? static_cast<int32_t>(t) : change.positions[t],
                            .segment = encoding.segments[t],
                            .token_norm = norm_of(whole[t], Addend::token),
                            .position_norm = norm_of(whole[t], Addend::position),
                            .segment_norm = norm_of(whole[t], Addend::segment),
                            .centred_token_norm = norm_of(row, Addend::token),
                            .centred_position_norm = norm_of(row, Addend::position),
                            .centred_segment_norm = norm_of(row, Addend::segment),
                            .together_norm = together_norm_of(whole[t]),
                            .centred_together_norm = together_norm_of(row),
                            .share = shares_over_coordinates(addends, t),
                            .gates = inputs[t].gates});
  }
  std::vector<size_t> counted(inputs.size());
  std::iota(counted.begin(), counted.end(), size_t{0});
  parts.share_between_tokens = shares_over_tokens(addends, counted);
  std::erase_if(counted, [&](size_t t) { return encoding.special[t] != 0; });
  if (counted.size() < inputs.size()) parts.share_without_special = shares_over_tokens(addends, counted);
  return parts;
}

}  // namespace summand::api
