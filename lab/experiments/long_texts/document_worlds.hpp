#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/long_texts/document_runs.hpp"

namespace summand::lab {

namespace long_texts {
/// What a document's vector keeps of the whole, by name_of(treatment).
inline constexpr NumberName kContent{"long_texts", "content"};
}  // namespace long_texts

/// Documents under a limit, and everything that is read off them.
struct World {
  Documents documents;
  const Table* sentences = nullptr;

  [[nodiscard]] const Table& vectors(Treatment treatment) const {
    return documents.vectors[static_cast<size_t>(treatment)];
  }
  [[nodiscard]] std::vector<size_t> own() const;
  /// For the null: every document's vector is the next one's.
  [[nodiscard]] std::vector<size_t> exchanged() const;
  /// found(), by the documents' vectors of one treatment.
  [[nodiscard]] std::vector<double> found_by(Treatment treatment, const std::vector<size_t>& rows,
                                             const Sought& sought) const;
  /// contents_kept() likewise.
  [[nodiscard]] std::vector<double> content_of(Treatment treatment, const std::vector<size_t>& rows) const;
};

/// Documents longer than the table, and such that fit, whose limit is half of it.
struct Worlds {
  World longer;
  World fitting;
};

/// How often sentences of each part find their document.
[[nodiscard]] Figure parts_figure(const Worlds& worlds);
/// The numbers of kContent with their intervals, the null and the control.
[[nodiscard]] Figure content_figure(const Numbers& numbers);

}  // namespace summand::lab
