#include "train/run/enlarge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/matrix.hpp"
#include "model/position.hpp"

namespace summand::train {

namespace {

constexpr const char* kPositions = "embeddings.position_embeddings.weight";
constexpr const char* kSegments = "embeddings.token_type_embeddings.weight";

void require_more(const char* option, int64_t have, int64_t asked) {
  if (asked >= have) return;
  throw ConfigError(option, fmt::format("expected at least the {} that the checkpoint has, got {}", have, asked));
}

Matrix<float> longer(const model::Tensor& table, size_t rows, NewRows from) {
  const auto own = model::to_matrix<float>(table);
  Matrix<float> result(rows, own.columns());
  for (size_t row = 0; row < rows; ++row) {
    const size_t source = from == NewRows::copied ? std::min(row, own.rows() - 1) : row % own.rows();
    std::ranges::copy(own.row(source), result.row(row).begin());
  }
  return result;
}

Matrix<float> hierarchical(const model::Weights& weights, model::TableSize size, size_t own, double alpha) {
  const model::ExtendedPositions extended{.rows = static_cast<int64_t>(own), .alpha = alpha};
  if (const std::string fault = extended.fault(size); !fault.empty()) throw ConfigError("--positions", fault);
  const auto table = model::position_table(extended, size, weights);
  Matrix<float> result(size.rows, size.columns);
  std::ranges::transform(table->elements(), result.elements().begin(), [](double x) { return static_cast<float>(x); });
  // The first ones to the bit: the formula gives them to rounding.
  const auto first = model::to_matrix<float>(weights.at(kPositions));
  for (size_t row = 0; row < own; ++row) std::ranges::copy(first.row(row), result.row(row).begin());
  return result;
}

void put(model::Weights& weights, const char* name, const Matrix<float>& rows) {
  weights.set(name, model::make_tensor({rows.rows(), rows.columns()}, rows.elements()));
}

}  // namespace

std::span<const model::EnumName<NewRows>> enum_names(NewRows) {
  static constexpr std::array kNames{model::EnumName{NewRows::tiled, "tiled"},
                                     model::EnumName{NewRows::copied, "copied"},
                                     model::EnumName{NewRows::hierarchical, "hierarchical"}};
  return kNames;
}

void enlarge(model::Config& config, model::Weights& weights, const Enlargement& enlargement) {
  if (enlargement.positions) {
    if (!std::holds_alternative<model::LearnedPositions>(config.position)) {
      throw ConfigError("--positions", fmt::format("expected a checkpoint with a learned table of positions, got '{}'",
                                                   model::name_of(config.position)));
    }
    require_more("--positions", config.max_position_embeddings, *enlargement.positions);
    const auto rows = static_cast<size_t>(*enlargement.positions);
    const auto& table = weights.at(kPositions);
    put(weights, kPositions,
        enlargement.rows == NewRows::hierarchical
            ? hierarchical(weights, {rows, table.shape[1]}, table.shape[0], enlargement.alpha)
            : longer(table, rows, enlargement.rows));
    config.max_position_embeddings = *enlargement.positions;
  }
  if (enlargement.segments) {
    if (config.segment != model::SegmentKind::learned) {
      throw ConfigError("--segment-rows", "expected a checkpoint with a table of segments, got none");
    }
    require_more("--segment-rows", config.type_vocab_size, *enlargement.segments);
    const auto rows = static_cast<size_t>(*enlargement.segments);
    const NewRows from = enlargement.rows == NewRows::copied ? NewRows::copied : NewRows::tiled;
    put(weights, kSegments, longer(weights.at(kSegments), rows, from));
    config.type_vocab_size = *enlargement.segments;
  }
}

}  // namespace summand::train
