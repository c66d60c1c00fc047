#include "lab/experiments/circle_readers/offset_attention.hpp"

#include <algorithm>
#include <cmath>

#include "lab/probing/attention.hpp"

namespace summand::lab::circle_readers {

namespace {

using Eigen::Index;

constexpr auto kFar = static_cast<Index>(kReach) + 1;  // the column of offset 0, and what the last one stands for
constexpr Index kOffsets = 2 * kFar + 1;

/// @param scores  [words, words], of one head
void add_head(const Table& scores, Index head, OffsetAttention& to) {
  const Index words = scores.rows();
  const Table weights = softmax_rows(scores) / static_cast<double>(words);
  const Table logits = scores.colwise() - scores.rowwise().mean();
  for (Index offset = 1 - words; offset < words; ++offset) {
    const Index column = kFar + std::clamp(offset, -kFar, kFar);
    to.attention(head, column) += weights.diagonal(offset).sum();
    if (std::abs(offset) < kFar) to.logits(head, column) = logits.diagonal(offset).mean();
  }
}

OffsetAttention by_offset(const TextAttention& text, const Windows& windows) {
  const auto front = static_cast<Index>(windows.front);
  const auto words = static_cast<Index>(windows.words);
  const auto heads = static_cast<Index>(text.scores.size() * text.scores.front().size());
  OffsetAttention window{.attention = Table::Zero(heads, kOffsets), .logits = Table::Zero(heads, kOffsets)};
  Index head = 0;
  for (const auto& layer : text.scores) {
    for (const Table& scores : layer) add_head(scores.block(front, front, words, words), head++, window);
  }
  return window;
}

}  // namespace

WindowRun run_windows(const engine::Engine& engine, const Windows& windows, const Table& positions,
                      SentenceVector vector) {
  const auto& batch = windows.texts.batch;
  WindowRun run;
  Table states(static_cast<Index>(batch.tokens()), static_cast<Index>(engine.config().hidden_size));
  watch_attention(engine, batch, {.keep_states = KeepStates::yes, .positions = &positions},
                  [&](const TextAttention& text) {
                    run.windows.push_back(by_offset(text, windows));
                    const Table& last = text.states.back();
                    states.middleRows(static_cast<Index>(batch.offsets[text.text]), last.rows()) = last;
                  });
  run.vectors = sentence_vectors(states, batch, vector);
  return run;
}

HeadEffects effects_of(const WindowRun& changed, const WindowRun& undisturbed) {
  const auto windows = static_cast<Index>(changed.windows.size());
  const Index heads = changed.windows.front().attention.rows();
  HeadEffects effects{.attention = Table(windows, heads), .logits = Table(windows, heads)};
  for (Index i = 0; i < windows; ++i) {
    const auto& after = changed.windows[static_cast<size_t>(i)];
    const auto& before = undisturbed.windows[static_cast<size_t>(i)];
    effects.attention.row(i) = (after.attention - before.attention).cwiseAbs().rowwise().sum().transpose() / 2;
    const Table apart = (after.logits - before.logits).middleCols(1, kOffsets - 2);
    effects.logits.row(i) = apart.rowwise().norm().transpose() / std::sqrt(static_cast<double>(apart.cols()));
  }
  const Vector cosines = cosines_by_row(changed.vectors, undisturbed.vectors);
  for (const double cosine : cosines) effects.vectors.push_back(std::max(0.0, 1 - cosine));
  effects.mean_attention = mean_attention(changed);
  return effects;
}

Table mean_attention(const WindowRun& run) {
  Table mean = run.windows.front().attention;
  for (size_t i = 1; i < run.windows.size(); ++i) mean += run.windows[i].attention;
  return mean / static_cast<double>(run.windows.size());
}

}  // namespace summand::lab::circle_readers
