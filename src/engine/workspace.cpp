#include "engine/workspace.hpp"

#include <utility>

#include "engine/column_blocks.hpp"

namespace summand::engine {

void GroupBuffers::grow(const Arithmetic& arithmetic, const WorkspaceSize& size) {
  const Precision precision = arithmetic.precision;
  hidden.grow(precision, size.tokens, size.hidden, ProductInput::Floats::always);
  query_key_value.grow(arithmetic.attention, size.tokens, 3 * size.hidden);
  context.grow(precision, size.tokens, size.hidden);
  projected.grow(size.stage_rows * size.hidden);
  intermediate.grow(precision, size.stage_rows, size.intermediate);
  kept_states.grow(size.kept_states * size.tokens * size.hidden);
  queries.grow(arithmetic.attention, size.queries, 3 * size.hidden);
  picked.grow(size.picked * size.hidden);
  pooled.grow(size.texts * size.hidden);
  transformed.grow(size.picked * size.hidden);
  logits.grow(size.head_rows * size.head_columns);
}

void Workspace::grow(const Arithmetic& arithmetic, size_t length, size_t head_size, size_t panel_rows) {
  if (arithmetic.attention == Precision::bf16) {
    bf16_attention.grow(length, head_size);
  } else {
    attention.grow(length, head_size);
  }
  if (arithmetic.precision == Precision::bf16) block.grow(panel_rows * kBlockColumns);
}

std::unique_ptr<Workspace> WorkspaceStore::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::make_unique<Workspace>();
  auto workspace = std::move(waiting_.back());
  waiting_.pop_back();
  return workspace;
}

void WorkspaceStore::give_back(std::unique_ptr<Workspace> workspace) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(workspace));
}

WorkspaceLoan::WorkspaceLoan(WorkspaceStore& store, size_t count) : store_(store) {
  for (size_t i = 0; i < count; ++i) workspaces_.push_back(store_.take());
}

WorkspaceLoan::~WorkspaceLoan() {
  for (auto& workspace : workspaces_) store_.give_back(std::move(workspace));
}

}  // namespace summand::engine
