#pragma once

#include <Eigen/Core>
#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Directions of the centred tables, orthonormal rows, the one of most energy first.
struct Bases {
  Eigen::MatrixXd gram;  ///< [hidden, hidden], of the centred tokens
  Table directions;      ///< [hidden, hidden], of the tokens, all
  Table positions;       ///< [16, hidden], of all rows
  Table without_row_0;   ///< [16, hidden], [CLS]'s row left out
  Table ordinary;        ///< [16, hidden], all rows that stand out left out
  Table tokens;          ///< [hidden / 4, hidden], the first
  Table last_tokens;     ///< the same number, the last
};

/// None if the positions have fewer than 16 directions, without those rows as well, or the tokens are all equal.
[[nodiscard]] std::optional<Bases> bases_of(const InputParts& parts);

/// 0.2: does what tells the segments apart lie in the positions' directions? A gap with fewer than two segments.
void measure_segment(const Subject& subject, const Bases& bases, const CorpusItems& corpus,
                     const Conditions& conditions, Findings& findings);

/// 0.6: do positions share directions with tokens, and do they keep to a few coordinates?
void measure_overlap(const InputParts& parts, const Bases& bases, const Conditions& conditions, Findings& findings);

}  // namespace summand::lab
