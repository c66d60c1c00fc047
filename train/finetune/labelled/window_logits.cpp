#include "train/finetune/labelled/window_logits.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "base/matrix.hpp"
#include "train/network/tensors.hpp"

namespace summand::train {

namespace {

/// Of each row or token, the rows of the logits that it combines.
using Sources = std::vector<std::vector<int32_t>>;

void add_windows(Sources& sources, const EncodedRow& row, int32_t& next) {
  const size_t first = sources.size();
  sources.resize(first + row.ids.size());
  for (const RowWindow& window : row.windows) {
    for (const int32_t place : window.places) {
      if (place >= 0) sources[first + static_cast<size_t>(place)].push_back(next);
      ++next;
    }
  }
  for (size_t token = first; token < sources.size(); ++token) {
    if (sources[token].empty()) sources[token].push_back(0);  // a special token
  }
}

Sources sources_of(std::span<const EncodedRow> rows, std::span<const size_t> chosen, model::Head head) {
  const bool by_token = head == model::Head::token_classification;
  Sources sources;
  int32_t next = 0;
  for (const size_t row : chosen) {
    const size_t windows = rows[row].windows.size();
    if (windows == 0) {
      const size_t count = by_token ? rows[row].ids.size() : 1;
      for (size_t i = 0; i < count; ++i) sources.push_back({next++});
    } else if (by_token) {
      add_windows(sources, rows[row], next);
    } else {
      sources.emplace_back();
      for (size_t window = 0; window < windows; ++window) sources.back().push_back(next++);
    }
  }
  return sources;
}

}  // namespace

at::Tensor combine_windows(const at::Tensor& logits, std::span<const EncodedRow> rows, std::span<const size_t> chosen,
                           const WindowLogits& how) {
  const bool are_whole = std::ranges::all_of(chosen, [&](size_t row) { return rows[row].windows.empty(); });
  if (are_whole) return logits;
  const Sources sources = sources_of(rows, chosen, how.head);
  const size_t most = std::ranges::max_element(sources, {}, &std::vector<int32_t>::size)->size();
  Matrix<int32_t> index(sources.size(), most);
  Matrix<double> counts(sources.size(), 1), absent(sources.size(), most);
  for (size_t row = 0; row < sources.size(); ++row) {
    counts(row, 0) = static_cast<double>(sources[row].size());
    std::ranges::copy(sources[row], index.row(row).begin());
    std::ranges::fill(absent.row(row).subspan(sources[row].size()), 1);
  }
  const Placement placement{.type = at::kDouble, .device = logits.device()};
  const auto type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;  // double: in tests
  const at::Tensor single = logits.to(type);
  const at::Tensor is_absent = tensor_of(absent, placement).to(at::kBool).unsqueeze(-1);
  const at::Tensor parts =
      single.index_select(0, index_tensor(index, placement).flatten())
          .view({static_cast<int64_t>(sources.size()), static_cast<int64_t>(most), single.size(-1)});
  switch (how.pooling) {
    case WindowPooling::mean: {
      const at::Tensor sum = parts.to(at::kDouble).masked_fill(is_absent, 0).sum(1);
      return (sum / tensor_of(counts, placement)).to(type);
    }
    case WindowPooling::maximum:
      return std::get<0>(parts.masked_fill(is_absent, -std::numeric_limits<double>::infinity()).max(1));
    case WindowPooling::transformer:
      break;  // encoded_windows()
  }
  __builtin_unreachable();
}

}  // namespace summand::train
