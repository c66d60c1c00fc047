#include "model/batch.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "base/error.hpp"

using summand::TextError;
using summand::model::Batch;
using summand::model::Config;

namespace {

Config small_config() {
  Config config;
  config.vocab_size = 10;
  config.type_vocab_size = 2;
  config.max_position_embeddings = 4;
  return config;
}

const std::vector<int32_t> kIds{1, 2, 3};
const std::vector<int32_t> kSegments{0, 0, 1};

}  // namespace

TEST_CASE("texts lie one after the other, each with positions of its own") {
  Batch batch;
  batch.add(kIds, kSegments);
  batch.add({}, {});
  batch.add(kIds, kSegments, 1);
  CHECK(batch.texts() == 3);
  CHECK(batch.tokens() == 6);
  CHECK(batch.length(1) == 0);
  CHECK(batch.positions == std::vector<int32_t>{0, 1, 2, 1, 2, 3});
  CHECK_NOTHROW(check(batch, small_config()));
}

TEST_CASE("an id, segment or position out of range is named with its text and token") {
  Batch batch;
  batch.add(kIds, kSegments);
  batch.add(kIds, kSegments);
  Batch wrong = batch;
  wrong.ids[4] = 10;
  CHECK_THROWS_WITH_AS(check(wrong, small_config()), "[batch] text 1, token 1: expected a token id below 10, got 10",
                       TextError);
  wrong = batch;
  wrong.ids[0] = -1;
  CHECK_THROWS_WITH_AS(check(wrong, small_config()), "[batch] text 0, token 0: expected a token id below 10, got -1",
                       TextError);
  wrong = batch;
  wrong.segments[5] = 2;
  CHECK_THROWS_WITH_AS(check(wrong, small_config()), "[batch] text 1, token 2: expected a segment below 2, got 2",
                       TextError);
  wrong = batch;
  wrong.add(kIds, kSegments, 2);
  CHECK_THROWS_WITH_AS(check(wrong, small_config()), "[batch] text 2, token 2: expected a position below 4, got 4",
                       TextError);
}

TEST_CASE("arrays that do not fit each other are refused") {
  Batch batch;
  batch.add(kIds, kSegments);
  Batch wrong = batch;
  wrong.segments.pop_back();
  CHECK_THROWS_AS(check(wrong, small_config()), TextError);
  wrong = batch;
  wrong.offsets.back() = 2;
  CHECK_THROWS_AS(check(wrong, small_config()), TextError);
  wrong = batch;
  wrong.offsets = {0, 3, 1, 3};
  CHECK_THROWS_AS(check(wrong, small_config()), TextError);
}
