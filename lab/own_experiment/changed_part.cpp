#include "lab/own_experiment/changed_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "model/heads.hpp"

namespace summand::lab::own {

namespace {

using Eigen::Index;

const Table& table_of_part(Part part, const Subject& subject) {
  switch (part) {
    case Part::token:
      return subject.tokens;
    case Part::position:
      return subject.positions;
    case Part::segment:
      return subject.segments;
  }
  __builtin_unreachable();
}

/// What the first components of the rows have of their deviations.
Table of_first_components(const Table& rows, size_t count) {
  const auto components = principal_components(rows, count);
  const auto kept = std::min(static_cast<Index>(count), components.scores.cols());
  return components.scores.leftCols(kept) * components.loadings.topRows(kept);
}

/// Each row and so much more of its deviation from their mean: with 0 more, the same bits.
Table with_deviations(const Table& rows, double more) {
  return rows + more * centred(rows);
}

Table changed_rows(const Table& rows, const Change& change, RandomStream& stream) {
  switch (change.kind) {
    case ChangeKind::mean:
      return with_deviations(rows, -1);
    case ChangeKind::zero:
      return Table::Zero(rows.rows(), rows.cols());
    case ChangeKind::shuffle:
      return row_shuffled(rows, stream);
    case ChangeKind::reverse:
      return rows.colwise().reverse();
    case ChangeKind::scale:
      return with_deviations(rows, change.number - 1);
    case ChangeKind::keep_components:
      return of_first_components(rows, static_cast<size_t>(change.number)).rowwise() + column_means(rows).transpose();
    case ChangeKind::drop_components:
      return rows - of_first_components(rows, static_cast<size_t>(change.number));
  }
  __builtin_unreachable();
}

bool takes_components(ChangeKind kind) {
  return kind == ChangeKind::keep_components || kind == ChangeKind::drop_components;
}

}  // namespace

ChangedPart::ChangedPart(const Setup& setup, const Subject& subject)
    : setup_(setup), subject_(subject), table_(table_of_part(setup.part, subject)) {
  const char* part = kParts[static_cast<size_t>(setup.part)];
  const auto count = static_cast<size_t>(table_.rows());
  if (count == 0) {
    throw ConfigError(setup.where, fmt::format("intervention.part: expected a table that the model has, got '{}', "
                                               "which it lacks",
                                               part));
  }
  const RowRange range = setup.rows.value_or(RowRange{.first = 0, .last = count - 1});
  if (range.last >= count) {
    throw ConfigError(setup.where, fmt::format("intervention.rows: expected rows of the {} table, 0 to {}, got {}",
                                               part, count - 1, range.last));
  }
  for (auto row = static_cast<Index>(range.first); row <= static_cast<Index>(range.last); ++row) {
    const bool reached = setup.part != Part::token || std::ranges::binary_search(subject.reached, row);
    if (reached) rows_.push_back(row);
  }
  if (rows_.empty()) {
    throw ConfigError(setup.where, fmt::format("intervention.rows: expected a token that a text reaches, got none from "
                                               "{} to {}",
                                               range.first, range.last));
  }
  if (!takes_components(setup.change.kind)) return;
  const auto most = std::min(static_cast<double>(rows_.size()) - 1, static_cast<double>(table_.cols()));
  if (setup.change.number > most) {
    throw ConfigError(setup.where, fmt::format("intervention.change: expected at most {:g} components, as {} rows of "
                                               "{} coordinates have them, got {:g}",
                                               most, rows_.size(), table_.cols(), setup.change.number));
  }
}

Table ChangedPart::with_rows(const Table& rows) const {
  Table table = table_;
  table(rows_, Eigen::all) = rows;
  return table;
}

Table ChangedPart::changed(RandomStream& stream) const {
  return with_rows(changed_rows(table_(rows_, Eigen::all), setup_.change, stream));
}

Table ChangedPart::moved_as_far(const Table& changed, RandomStream& stream) const {
  Table table = table_;
  for (const Index row : rows_) {
    Vector direction(table.cols());
    for (double& value : direction) value = stream.normal();
    table.row(row) += ((changed.row(row) - table_.row(row)).norm() * direction.normalized()).transpose();
  }
  return table;
}

Table ChangedPart::shuffled(RandomStream& stream) const {
  return with_rows(row_shuffled(table_(rows_, Eigen::all), stream));
}

engine::Engine ChangedPart::engine(const Table& table, int threads) const {
  ChangedModel model = changed_model(subject_);
  switch (setup_.part) {
    case Part::token:
      if (model::contains_head(model.weights, model::Head::masked_language)) {
        const model::Tensor weight = model::decoder_weight(model.weights);
        const model::Tensor bias = model::decoder_bias(model.weights);
        model.weights.set("cls.predictions.decoder.weight", weight);
        model.weights.set("cls.predictions.decoder.bias", bias);
      }
      model.replace(kTokenTable, table);
      break;
    case Part::position:
      model.replace_positions(table);
      break;
    case Part::segment:
      model.replace(kSegmentTable, table);
      break;
  }
  return model.engine(threads);
}

}  // namespace summand::lab::own
