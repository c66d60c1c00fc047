#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "model/contract.hpp"
#include "model/positions/learned.hpp"
#include "model/positions/ops.hpp"

namespace summand::model {

/// Row x is x/rows times one learned direction: the bare index, as a number.
struct ScalarPositions {
  static constexpr std::string_view kName = "scalar";
  static constexpr const char* kDirection = "position_direction";

  void add_parameters(Contract& contract, TableSize size) const {
    contract.vector(kDirection, size.columns, Initialiser::normal);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize size) const {
    Matrix<double> shares = indices(size.rows);
    for (double& share : shares.elements()) share /= static_cast<double>(size.rows);
    return ops.product(ops.constant(shares), ops.parameter(kDirection));
  }
  bool operator==(const ScalarPositions&) const = default;
};

/// Slow cosines of the position with learned rows: a table that cannot change fast. With as many cosines as rows it is
/// any table.
/// Source: the cosines are the orthonormal DCT-II's (Ahmed, Natarajan & Rao 1974)
struct SmoothPositions {
  static constexpr std::string_view kName = "smooth";
  static constexpr const char* kRows = "position_cosines.weight";

  int64_t cosines = 1;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("cosines", self.cosines);
  }
  [[nodiscard]] std::string fault(TableSize size) const {
    if (cosines >= 1 && static_cast<size_t>(cosines) <= size.rows) return "";
    return fmt::format("cosines: expected 1 to max_position_embeddings ({}), got {}", size.rows, cosines);
  }
  [[nodiscard]] static SmoothPositions typical(TableSize size) {
    return {.cosines = static_cast<int64_t>(size.rows / 4 + 1)};
  }
  void add_parameters(Contract& contract, TableSize size) const {
    contract.matrix(kRows, static_cast<size_t>(cosines), size.columns);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize size) const {
    const auto rows = static_cast<double>(size.rows);
    Matrix<double> waves(size.rows, static_cast<size_t>(cosines));
    for (size_t x = 0; x < size.rows; ++x) {
      for (size_t j = 0; j < waves.columns(); ++j) {
        const double angle = std::numbers::pi * (static_cast<double>(x) + 0.5) * static_cast<double>(j) / rows;
        waves(x, j) = std::sqrt((j == 0 ? 1 : 2) / rows) * std::cos(angle);
      }
    }
    return ops.product(ops.constant(waves), ops.parameter(kRows));
  }
  bool operator==(const SmoothPositions&) const = default;
};

/// A table of n rows made longer, up to n² rows: row i·n + j is α·u_i + (1 − α)·u_j, with u_i = (p_i − α·p_0)/(1 − α),
/// so that the first n rows stay as they are.
/// Source: Su, 2020, "hierarchical decomposition of position encodings" (kexue.fm/archives/7947)
struct ExtendedPositions {
  static constexpr std::string_view kName = "extended";

  int64_t rows = 0;    ///< n, of the table that the checkpoint holds; √L to L
  double alpha = 0.4;  ///< above 0 and below 1, not 0.5

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("rows", self.rows);
    visit("alpha", self.alpha);
  }
  [[nodiscard]] std::string fault(TableSize size) const {
    if (!(alpha > 0 && alpha < 1) || alpha == 0.5) {
      return fmt::format("alpha: expected a number above 0 and below 1, not 0.5, got {}", alpha);
    }
    const auto least = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(size.rows))));
    if (rows >= least && static_cast<size_t>(rows) <= size.rows) return "";
    return fmt::format("rows: expected {} to max_position_embeddings ({}), for their square has to reach it, got {}",
                       least, size.rows, rows);
  }
  [[nodiscard]] static ExtendedPositions typical(TableSize size) {
    return {.rows = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(size.rows))))};
  }
  void add_parameters(Contract& contract, TableSize size) const {
    contract.matrix(kPositionRows, static_cast<size_t>(rows), size.columns);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize size) const {
    const auto n = static_cast<size_t>(rows);
    Matrix<double> weights(size.rows, n);
    for (size_t x = 0; x < size.rows; ++x) {
      const auto add = [&](size_t row, double factor) {
        weights(x, row) += factor / (1 - alpha);
        weights(x, 0) -= factor * alpha / (1 - alpha);
      };
      add(x / n, alpha);
      add(x % n, 1 - alpha);
    }
    return ops.product(ops.constant(weights), ops.parameter(kPositionRows));
  }
  bool operator==(const ExtendedPositions&) const = default;
};

}  // namespace summand::model
