#include "engine/workspace.hpp"

#include <utility>

namespace summand::engine {

void GroupBuffers::grow(const WorkspaceSize& size) {
  hidden.grow(size.tokens * size.hidden);
  query_key_value.grow(size.tokens * 3 * size.hidden);
  context.grow(size.tokens * size.hidden);
  projected.grow(size.stage_rows * size.hidden);
  intermediate.grow(size.stage_rows * size.intermediate);
  kept_states.grow(size.kept_states * size.tokens * size.hidden);
  queries.grow(size.queries * 3 * size.hidden);
  picked.grow(size.picked * size.hidden);
  pooled.grow(size.texts * size.hidden);
  transformed.grow(size.picked * size.hidden);
  logits.grow(size.head_rows * size.head_columns);
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
