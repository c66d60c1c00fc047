#pragma once

#include "base/random_stream.hpp"
#include "engine/engine.hpp"
#include "lab/own_experiment/setup.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::own {

/// One of the three tables, and which of its rows are changed.
class ChangedPart {
 public:
  /// @param setup, subject  keeps references to them
  /// @throws ConfigError if the model has no such table, or not what the setup asks of it
  ChangedPart(const Setup& setup, const Subject& subject);

  /// The table with the change that the setup asks for. @param stream  of a shuffle
  [[nodiscard]] Table changed(RandomStream& stream) const;
  /// Every changed row moved as far as in `changed`, each in a direction drawn at random.
  [[nodiscard]] Table moved_as_far(const Table& changed, RandomStream& stream) const;
  /// The rows that are changed in another order.
  [[nodiscard]] Table shuffled(RandomStream& stream) const;
  /// The model with this table. A decoder that is tied to the token table keeps the rows that it had.
  [[nodiscard]] engine::Engine engine(const Table& table, int threads) const;

 private:
  [[nodiscard]] Table with_rows(const Table& rows) const;

  const Setup& setup_;
  const Subject& subject_;
  const Table& table_;
  std::vector<Eigen::Index> rows_;  // ascending
};

}  // namespace summand::lab::own
