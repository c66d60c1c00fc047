#include "lab/experiments/circle_readers/offset_attention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lab/experiments/circle_readers/circle_positions.hpp"
#include "lab/experiments/circle_readers/windows.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "tests/lab/circle_models.hpp"

using namespace summand::lab;
using namespace summand::lab::circle_readers;
using namespace circle_models;

TEST_CASE("windows hold every word at most once, all of one length, between their special tokens") {
  const auto subject = readers(one_circle_each());
  summand::RandomStream stream(3, "windows");
  const Windows windows = windows_of(subject, 5, stream);
  REQUIRE(windows.count() == 5);
  CHECK(windows.front == 1);
  CHECK(windows.length() == windows.words + 2);
  CHECK(windows.words <= 126);
  CHECK(windows.words >= kLeastWords);
  const auto special = std::ranges::count(windows.texts.special, true);
  CHECK(special == 10);
  size_t total = 0;
  for (const auto& text : subject.corpus.sentences) total += static_cast<size_t>(std::ranges::count(text.special, 0));
  CHECK(5 * windows.words <= total);
  for (size_t i = 0; i < 5; ++i) CHECK(windows.texts.batch.length(i) == windows.length());
}

TEST_CASE(
    "attention by offset is the mean over words of what goes so far, and logits are each word's less their mean") {
  const auto subject = readers(one_circle_each());
  summand::RandomStream stream(3, "windows");
  const Windows windows = windows_of(subject, 2, stream);
  const auto engine = engine_with_positions(subject, subject.positions, 1);
  // Rows given by the tap, beside an engine that has them.
  const CirclePositions positions(subject.positions);
  const Table table = positions.reversed(positions.planes()[0]);
  const WindowRun run = run_windows(engine, windows, table, SentenceVector::mean);
  REQUIRE(run.windows.size() == 2);
  watch_attention(engine_with_positions(subject, table, 1), windows.texts.batch, {}, [&](const TextAttention& text) {
    const auto n = static_cast<Index>(windows.words);
    for (size_t head = 0; head < kHeads; ++head) {
      const Table scores = text.scores[0][head].block(1, 1, n, n);
      const auto& window = run.windows[text.text];
      CHECK(window.attention.row(static_cast<Index>(head)).sum() == doctest::Approx(1));
      for (const Index offset : {Index{0}, Index{-3}, Index{32}}) {
        double attention = 0;
        double logits = 0;
        double pairs = 0;
        for (Index i = 0; i < n; ++i) {
          if (i + offset < 0 || i + offset >= n) continue;
          double sum = 0;
          for (Index j = 0; j < n; ++j) sum += std::exp(scores(i, j));
          attention += std::exp(scores(i, i + offset)) / sum / static_cast<double>(n);
          logits += scores(i, i + offset) - scores.row(i).mean();
          ++pairs;
        }
        const Index column = offset + Index{kReach} + 1;
        CHECK(window.attention(static_cast<Index>(head), column) == doctest::Approx(attention).epsilon(1e-6));
        CHECK(window.logits(static_cast<Index>(head), column) == doctest::Approx(logits / pairs).epsilon(1e-6));
      }
    }
  });
  const auto nothing = effects_of(run, run);
  CHECK(nothing.attention.isZero(0));
  CHECK(nothing.logits.isZero(0));
  const auto own = run_windows(engine, windows, subject.positions, SentenceVector::mean);
  const auto reversed = effects_of(run, own);
  const Table apart = (run.windows[1].attention - own.windows[1].attention).row(0);
  CHECK(reversed.attention(1, 0) == doctest::Approx(apart.cwiseAbs().sum() / 2));
}
