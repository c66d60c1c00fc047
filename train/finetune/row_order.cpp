#include "train/finetune/row_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/random_stream.hpp"

namespace summand::train {

RowOrder::RowOrder(size_t rows, uint64_t seed) : seed_(seed), order_(rows) {
  shuffle();
}

void RowOrder::shuffle() {
  std::iota(order_.begin(), order_.end(), size_t{0});
  RandomStream(seed_, fmt::format("rows of epoch {}", place_.epoch)).shuffle(std::span(order_));
}

std::vector<size_t> RowOrder::next(size_t most) {
  if (place_.row == order_.size()) {
    place_ = {.epoch = place_.epoch + 1, .row = 0};
    shuffle();
  }
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(place_.row);
  const size_t count = std::min(most, order_.size() - place_.row);
  place_.row += count;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void RowOrder::go_to(const RowPlace& place) {
  place_ = place;
  shuffle();
}

std::vector<std::vector<size_t>> micro_batches(std::span<const size_t> rows, size_t most_tokens,
                                               const std::function<size_t(size_t)>& length) {
  std::vector<size_t> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::greater(), length);
  std::vector<std::vector<size_t>> batches;
  size_t tokens = 0;
  for (const size_t row : sorted) {
    if (batches.empty() || tokens + length(row) > most_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(row);
    tokens += length(row);
  }
  return batches;
}

}  // namespace summand::train
