#pragma once

#include <vector>

#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// Rows of a table as the model sees them: the normalisation behind the sum takes out each row's mean over coordinates,
/// so that a number added to a whole row changes nothing, and is nothing to be found. Of a table alone nothing is known
/// that would read it, and its rows stay as they are.
/// Source: Devlin et al. 2019, and layer normalisation, Ba et al. 2016, equation 4
/// @param rows  [rows, hidden] @return [rows, hidden]
[[nodiscard]] inline Table seen_rows(const Subject& subject, const Table& rows) {
  if (!subject.model || rows.size() == 0) return rows;
  return rows.colwise() - rows.rowwise().mean();
}

/// The position table's.
[[nodiscard]] inline Table seen_positions(const Subject& subject) {
  return seen_rows(subject, subject.positions);
}

/// Rows of the token table that no text reaches, ascending: the others than Subject::reached.
[[nodiscard]] std::vector<Eigen::Index> unreached_ids(const Subject& subject);

/// The token table without what no text reaches, which may hold anything without changing an output, and lies in the
/// table where reached rows would: each such row is put equal to one of those, taken evenly from all of them.
/// @return [vocabulary, hidden], as they lie in the file
[[nodiscard]] Table reached_tokens(const Subject& subject);

/// The same rows as the normalisation sees them.
[[nodiscard]] inline Table seen_tokens(const Subject& subject) {
  return seen_rows(subject, reached_tokens(subject));
}

/// Those without [CLS]'s: it stands at position 0 alone, so that a vector taken from its row and given to row 0 of the
/// positions changes no output. Its row is put equal to a neighbour's.
/// @return [vocabulary, hidden]
[[nodiscard]] Table seen_tokens_but_first(const Subject& subject);

}  // namespace summand::lab
