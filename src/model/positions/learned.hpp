#pragma once

#include "model/contract.hpp"
#include "model/positions/ops.hpp"

namespace summand::model {

inline constexpr const char* kPositionRows = "position_embeddings.weight";

/// A table of free rows: BERT.
/// Source: Devlin et al. 2019, figure 2
struct LearnedPositions {
  static constexpr std::string_view kName = "learned";

  void add_parameters(Contract& contract, TableSize size) const {
    contract.matrix(kPositionRows, size.rows, size.columns);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize) const {
    return ops.parameter(kPositionRows);
  }
  bool operator==(const LearnedPositions&) const = default;
};

/// Rows that training leaves as they are: drawn at random, or any table that the checkpoint holds.
struct FixedPositions {
  static constexpr std::string_view kName = "fixed";

  void add_parameters(Contract& contract, TableSize size) const {
    contract.matrix(kPositionRows, size.rows, size.columns, Initialiser::fixed_normal);
  }
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize) const {
    return ops.parameter(kPositionRows);
  }
  bool operator==(const FixedPositions&) const = default;
};

/// No position information: p = 0.
struct NoPositions {
  static constexpr std::string_view kName = "none";

  bool operator==(const NoPositions&) const = default;
};

}  // namespace summand::model
