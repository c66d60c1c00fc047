#include "train/finetune/vectors/ranking_groups.hpp"

#include <numeric>

namespace summand::train {

std::vector<size_t> ranking_groups(size_t rows) {
  const size_t groups = (rows + kMostRankedRows - 1) / kMostRankedRows;
  std::vector<size_t> ends{0};
  for (size_t group = 1; group <= groups; ++group) ends.push_back(rows * group / groups);
  return ends;
}

RowTexts row_texts(const SentenceRows& rows, std::span<const size_t> chosen) {
  RowTexts texts;
  for (const size_t row : chosen) {
    texts.anchors.push_back(rows.text(row, 0).number);
    texts.positives.push_back(rows.text(row, 1).number);
    if (rows.texts_per_row > 2) texts.negatives.push_back(rows.text(row, 2).number);
  }
  return texts;
}

std::vector<uint8_t> comparable_rows(const SentenceRows& rows) {
  std::vector<size_t> all(rows.rows());
  std::iota(all.begin(), all.end(), size_t{0});
  const std::vector<size_t> ends = ranking_groups(all.size());
  std::vector<uint8_t> comparable;
  for (size_t group = 0; group + 1 < ends.size(); ++group) {
    const auto chosen = std::span(all).subspan(ends[group], ends[group + 1] - ends[group]);
    const at::Tensor found = rows_with_wrong_texts(false_negatives(row_texts(rows, chosen)));
    const auto* begin = found.const_data_ptr<bool>();
    comparable.insert(comparable.end(), begin, begin + found.numel());
  }
  return comparable;
}

}  // namespace summand::train
