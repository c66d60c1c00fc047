#include "train/finetune/vectors/ranking_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "train/finetune/vectors/ranking_groups.hpp"

namespace summand::train {

void check_ranking_rows(const SentenceRows& rows, const std::string& file) {
  std::set<size_t> candidates;
  for (size_t row = 0; row < rows.rows(); ++row) {
    for (size_t which = 1; which < rows.texts_per_row; ++which) candidates.insert(rows.text(row, which).number);
  }
  std::map<size_t, std::set<size_t>> right;  // candidates, of each first text
  for (size_t row = 0; row < rows.rows(); ++row) {
    const size_t first = rows.text(row, 0).number;
    right[first].insert(rows.text(row, 1).number);
    if (candidates.contains(first)) right[first].insert(first);
  }
  const bool has_wrong =
      std::ranges::any_of(right, [&](const auto& of_first) { return of_first.second.size() < candidates.size(); });
  if (has_wrong) return;
  if (candidates.size() == 1) {
    throw TextError(file, fmt::format("expected second texts that differ, got the same tokens in all {} rows to train "
                                      "on",
                                      rows.rows()));
  }
  throw TextError(file, fmt::format("expected a second text that is wrong for some first text, got none in the {} rows "
                                    "to train on, which pair {} with all",
                                    rows.rows(), right.size() == 1 ? "the same first text" : "each first text"));
}

std::optional<std::string> incomparable_rows_line(const SentenceRows& rows, std::span<const LabelledText> texts,
                                                  const std::string& name) {
  const std::vector<uint8_t> comparable = comparable_rows(rows);
  const auto first = std::ranges::find(comparable, 0);
  if (first == comparable.end()) return std::nullopt;
  const auto count = static_cast<size_t>(std::ranges::count(comparable, 0));
  return fmt::format(
      "{}: {} of the {} rows of {} have no wrong text in their group of at most {} rows, the first one here; "
      "accuracy and loss leave them out{}",
      texts[static_cast<size_t>(first - comparable.begin())].where, count, comparable.size(), name, kMostRankedRows,
      count == comparable.size() ? ", and are 0 without any" : "");
}

}  // namespace summand::train
