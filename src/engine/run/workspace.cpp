#include "engine/run/workspace.hpp"

#include <mutex>
#include <utility>

#include "engine/layers/column_blocks.hpp"

namespace summand::engine {

void GroupBuffers::fit(const Arithmetic& arithmetic, const WorkspaceSize& size) {
  const Precision precision = arithmetic.precision;
  hidden.fit(arithmetic, precision, size.tokens, size.hidden, ProductInput::Floats::always);
  query_key_value.fit(arithmetic, arithmetic.attention, size.tokens, 3 * size.hidden);
  context.fit(arithmetic, precision, size.tokens, size.hidden);
  projected.fit(size.stage_rows * size.hidden);
  intermediate.fit(arithmetic, precision, size.stage_rows, size.intermediate);
  kept_states.fit(size.kept_states * size.tokens * size.hidden);
  queries.fit(arithmetic, arithmetic.attention, size.queries, 3 * size.hidden);
  picked.fit(size.picked * size.hidden);
  pooled.fit(size.texts * size.hidden);
  transformed.fit(size.picked * size.hidden);
  logits.fit(size.head_rows * size.head_columns);
}

void Workspace::fit(const Arithmetic& arithmetic, size_t length, size_t head_size, size_t panel_rows) {
  if (is_half(arithmetic.attention)) {
    half_attention.fit(arithmetic.half->layout, length, head_size);
  } else {
    attention.fit(length, head_size);
  }
  if (is_half(arithmetic.precision)) block.fit(panel_rows * kBlockColumns);
}

namespace {

template <class T>
std::vector<std::unique_ptr<T>> taken(IdlePool<T>& pool, size_t count) {
  std::vector<std::unique_ptr<T>> things(count);
  for (auto& thing : things) thing = pool.take();
  return things;
}

/// In reverse, so that a run of the same size gets each in the same role: the group that all threads share grows the
/// same buffers every time.
template <class T>
void put_back(IdlePool<T>& pool, std::vector<std::unique_ptr<T>>& things) {
  for (auto thing = things.rbegin(); thing != things.rend(); ++thing) pool.give_back(std::move(*thing));
}

template <class T>
void make_missing(std::vector<std::unique_ptr<T>>& things) {
  for (auto& thing : things) {
    if (!thing) thing = std::make_unique<T>();
  }
}

}  // namespace

Workspaces WorkspaceStore::take(size_t groups, size_t threads) {
  Workspaces workspaces;
  {
    const std::lock_guard lock(mutex_);
    workspaces.groups = taken(groups_, groups);
    workspaces.threads = taken(threads_, threads);
  }
  make_missing(workspaces.groups);
  make_missing(workspaces.threads);
  return workspaces;
}

void WorkspaceStore::give_back(Workspaces workspaces) {
  Workspaces gone;  // ends after the lock
  const std::lock_guard lock(mutex_);
  put_back(groups_, workspaces.groups);
  put_back(threads_, workspaces.threads);
  gone.groups = groups_.trim();
  gone.threads = threads_.trim();
}

void WorkspaceStore::release() {
  Workspaces gone;  // ends after the lock
  const std::lock_guard lock(mutex_);
  gone.groups = groups_.release_all();
  gone.threads = threads_.release_all();
}

}  // namespace summand::engine
