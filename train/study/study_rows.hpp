#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace summand::train {

/// The answers that depend most on one thing. Source: docs/study-tasks.md, "combined"
struct Stratum {
  double excess = 0;
  double gap = 0;  ///< excess of the context-free distribution
  size_t asked = 0;
  bool operator==(const Stratum&) const = default;
};

/// A validation on the way.
struct CurvePoint {
  int64_t step = 0;
  double excess = 0;
  std::optional<double> distance_share = {};  ///< position_readout.hpp; none of a model without a position table
  std::optional<double> circle_share = {};    ///< likewise, and none of a short one
  bool operator==(const CurvePoint&) const = default;
};

/// What one run of a study ended with: its row.json, and a line of rows.csv.
struct StudyRow {
  std::string task, arm;
  uint64_t seed = 0;
  double learning_rate = 0;
  std::string data = {};                       ///< hash of tables and sequences: equal for the arms of a seed
  double gap = 0;                              ///< context-free excess, nats
  double excess = 0;                           ///< nats; of a run that diverged, the gap
  std::optional<double> hidden_boundary = {};  ///< excess of the best reader who is not told the boundary
  bool diverged = false;
  uint64_t tokens = 0;
  std::map<std::string, Stratum> strata = {};
  std::vector<CurvePoint> curve = {};

  /// The share of the gap that is left.
  [[nodiscard]] double left() const { return excess / gap; }
  /// Tokens after which a share of the gap is closed, interpolated between validations; none if it never is.
  [[nodiscard]] std::optional<double> tokens_to(double share) const;
  bool operator==(const StudyRow&) const = default;
};

/// @return null if the run has no row
[[nodiscard]] const StudyRow* find_row(const std::vector<StudyRow>& rows, std::string_view task, std::string_view arm,
                                       uint64_t seed);

[[nodiscard]] nlohmann::ordered_json to_json(const StudyRow& row);
/// @throws ConfigError naming the file and the key
[[nodiscard]] StudyRow read_row(const std::filesystem::path& path);

/// A header, then a line for each row, in this order.
[[nodiscard]] std::string to_csv(const std::vector<StudyRow>& rows);
/// @param where  for messages
/// @throws ConfigError naming the line
[[nodiscard]] std::vector<StudyRow> rows_from_csv(std::string_view text, std::string_view where);

}  // namespace summand::train
