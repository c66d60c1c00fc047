#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "train/finetune/labelled/split.hpp"
#include "train/finetune/row_order.hpp"

namespace summand {

namespace {

using Rows = std::vector<size_t>;

Rows epoch_of(train::RowOrder& order, size_t rows, size_t batch) {
  Rows all;
  while (all.size() < rows) {
    const Rows next = order.next(batch);
    all.insert(all.end(), next.begin(), next.end());
  }
  return all;
}

Rows all_of(size_t count) {
  Rows rows(count);
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

Rows sorted(Rows rows) {
  std::ranges::sort(rows);
  return rows;
}

}  // namespace

TEST_CASE("an epoch has every row once, in an order of its own that seed and epoch decide") {
  train::RowOrder order(103, 4);
  const Rows first = epoch_of(order, 103, 8), second = epoch_of(order, 103, 8);
  CHECK(sorted(first) == all_of(103));
  CHECK(sorted(second) == all_of(103));
  CHECK(first != second);
  train::RowOrder again(103, 4), other(103, 5);
  CHECK(epoch_of(again, 103, 50) == first);
  CHECK(epoch_of(other, 103, 8) != first);
}

TEST_CASE("an order goes on from any place as if it had not been left") {
  train::RowOrder order(30, 1);
  for (int step = 0; step < 12; ++step) {
    train::RowOrder resumed(30, 1);
    resumed.go_to(order.place());
    train::RowOrder copy = order;
    for (int more = 0; more < 6; ++more) CHECK(resumed.next(7) == copy.next(7));
    static_cast<void>(order.next(7));
  }
}

TEST_CASE("micro-batches hold every row once, and no more tokens than allowed but for a row alone") {
  const Rows lengths{5, 30, 1, 7, 7, 12, 3, 9};
  const auto length = [&](size_t row) { return lengths[row]; };
  const auto batches = train::micro_batches(Rows{7, 1, 0, 3, 4, 6}, 20, length);
  Rows all;
  for (const Rows& batch : batches) {
    size_t tokens = 0;
    for (const size_t row : batch) tokens += lengths[row];
    CHECK((tokens <= 20 || batch.size() == 1));
    all.insert(all.end(), batch.begin(), batch.end());
  }
  CHECK(sorted(all) == Rows{0, 1, 3, 4, 6, 7});
  CHECK(batches.size() == 3);  // 30; 9 + 7; 7 + 5 + 3
}

TEST_CASE("a split takes the share of every label, and never a label's only row") {
  std::vector<int32_t> labels;
  for (const auto& [label, count] : {std::pair(0, 100), std::pair(1, 33), std::pair(2, 2), std::pair(3, 1)}) {
    labels.insert(labels.end(), static_cast<size_t>(count), label);
  }
  const train::Split split = train::stratified_split(labels, 0.1, 6);
  std::vector<size_t> held(4);
  for (const size_t row : split.held_out) ++held[static_cast<size_t>(labels[row])];
  CHECK(held == std::vector<size_t>{10, 3, 1, 0});
  Rows all = split.train;
  all.insert(all.end(), split.held_out.begin(), split.held_out.end());
  CHECK(sorted(all) == all_of(labels.size()));
  CHECK(std::ranges::is_sorted(split.train));
  CHECK(train::stratified_split(labels, 0.1, 6).held_out == split.held_out);
  CHECK(train::stratified_split(labels, 0.1, 7).held_out != split.held_out);
}

TEST_CASE("a split of many labels with few rows takes the share of all rows") {
  std::vector<int32_t> labels;
  for (int32_t row = 0; row < 1200; ++row) labels.push_back(row / 3);
  const train::Split split = train::stratified_split(labels, 0.1, 6);
  CHECK(split.held_out.size() == 120);
  std::set<int32_t> held;
  for (const size_t row : split.held_out) held.insert(labels[row]);
  CHECK(held.size() == 120);  // no label twice, while others have none
  CHECK(*held.rbegin() > 300);
}

TEST_CASE("a split of few rows holds one out") {
  CHECK(train::stratified_split(std::vector<int32_t>{0, 0, 0}, 0.1, 6).held_out.size() == 1);
  CHECK(train::stratified_split(std::vector<int32_t>{0, 1, 2}, 0.5, 6).held_out.empty());
}

}  // namespace summand
