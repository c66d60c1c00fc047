#pragma once

#include <array>
#include <cstddef>

#include "lab/core/localized_text.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// The addends of a normalised input. The common one holds the mean rows of all three tables, the normalisation's bias,
/// and, of a query or key, the projection's bias.
enum class LogitPart { token, position, segment, common };

inline constexpr size_t kLogitParts = 4;

/// What a figure calls it.
[[nodiscard]] const LocalizedText& words_of(LogitPart part);

/// One table for each LogitPart, in its order.
using PartTables = std::array<Table, kLogitParts>;

/// The logits of one head, split exactly: one table for each part of the query and each of the key.
struct LogitTerms {
  std::array<PartTables, kLogitParts> of;  ///< [query's part][key's part] of [length, length], times 1/√a

  [[nodiscard]] const Table& at(LogitPart query, LogitPart key) const {
    return of[static_cast<size_t>(query)][static_cast<size_t>(key)];
  }
  /// [length, length], the scaled logits before the softmax.
  [[nodiscard]] Table sum() const;
};

/// The first layer's attention logits as sums of terms. A token's normalised input is ((t + p + s) − mean)/σ ⊙ γ + β:
/// each centred part, less the mean of its own coordinates, enters it linearly, with the σ of the token's whole sum. So
/// queries and keys are sums of four parts, and a logit is a sum of 4 × 4 terms.
///
/// Thread-safety: const members may be called from several threads at once.
class FirstLogits {
 public:
  /// @param subject  keeps a reference to it
  /// @pre lacks_sum() has no complaint, and there is a layer
  explicit FirstLogits(const Subject& subject);

  [[nodiscard]] size_t heads() const { return heads_; }
  /// Coordinates of an input.
  [[nodiscard]] size_t hidden() const { return static_cast<size_t>(token_mean_.size()); }
  /// The normalised input of one text as a sum of parts, each [length, hidden]; γ and β included.
  /// @pre ids, positions and segments of the batch have rows in the subject's tables, here and below
  [[nodiscard]] PartTables inputs(const model::Batch& batch, size_t text) const;
  /// The same with other position rows; each enters less the mean row of the subject's own.
  /// @param seen  [positions, hidden], those that queries and keys are made of
  /// @param normalised  likewise, those that σ is of
  [[nodiscard]] PartTables inputs(const model::Batch& batch, size_t text, const Table& seen,
                                  const Table& normalised) const;
  [[nodiscard]] LogitTerms terms(const model::Batch& batch, size_t text, size_t head) const;
  /// The same of what inputs() gave, which all heads share.
  [[nodiscard]] LogitTerms terms(const PartTables& inputs, size_t head) const;
  /// LogitTerms::sum(), at the cost of one term.
  [[nodiscard]] Table logits(const PartTables& inputs, size_t head) const;

 private:
  /// A linear layer of one layer's attention.
  struct Projection {
    Table weight;  ///< [hidden, hidden], out × in
    Vector bias;   ///< [hidden]
  };
  [[nodiscard]] PartTables projected(const PartTables& inputs, const Projection& by, size_t head) const;

  const Subject& subject_;
  FirstNorm norm_;
  Vector token_mean_, position_mean_, segment_mean_;  // [hidden], of the tables' rows
  Projection query_, key_;
  size_t heads_ = 0;
};

}  // namespace summand::lab
