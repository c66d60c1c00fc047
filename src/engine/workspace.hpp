#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/matrix_view.hpp"
#include "engine/aligned_buffer.hpp"
#include "engine/arithmetic.hpp"
#include "engine/attention.hpp"
#include "engine/bf16_attention.hpp"
#include "engine/product_input.hpp"

namespace summand::engine {

/// How large the groups of a run are.
struct WorkspaceSize {
  size_t tokens = 0;      ///< of the largest group
  size_t texts = 0;       ///< of the group with the most
  size_t stage_rows = 0;  ///< rows that pass through the feed-forward block together
  size_t hidden = 0;
  size_t intermediate = 0;
  size_t kept_states = 0;  ///< hidden states that are wanted before the last layer
  size_t picked = 0;       ///< rows of the group that picks the most
  size_t queries = 0;      ///< rows whose queries the last layer computes apart from keys and values
  size_t head_rows = 0;    ///< rows of logits of the group with the most
  size_t head_columns = 0;
};

/// What a group holds on its way through the layers.
struct GroupBuffers {
  ProductInput hidden;           ///< [tokens, hidden], the current hidden state, always as floats too
  ProductInput query_key_value;  ///< [tokens, 3 · hidden], in attention's precision
  ProductInput context;          ///< [tokens, hidden]
  AlignedFloats projected;       ///< [stage rows, hidden]
  ProductInput intermediate;     ///< [stage rows, intermediate]
  AlignedFloats kept_states;     ///< [kept states, tokens, hidden]
  ProductInput queries;          ///< [queries, 3 · hidden], of which the first third is used
  AlignedFloats picked;          ///< [picked, hidden], rows of the last hidden state
  AlignedFloats pooled;          ///< [texts, hidden]
  AlignedFloats transformed;     ///< [picked, hidden], on the way to the masked-language decoder
  AlignedFloats logits;          ///< [head rows, head columns]

  void grow(const Arithmetic& arithmetic, const WorkspaceSize& size);
};

/// What one thread computes with.
struct Workspace {
  GroupBuffers group;
  AttentionScratch attention;
  Bf16AttentionScratch bf16_attention;
  AlignedFloats block;                         ///< [rows of a panel, columns of a block], before an activation
  std::vector<MatrixView<const float>> views;  ///< of a text's results

  /// Makes room for attention and the products of one thread.
  /// @param length  of the longest text
  void grow(const Arithmetic& arithmetic, size_t length, size_t head_size, size_t panel_rows);
};

/// Workspaces that wait for the next run. Runs on several threads at a time each take their own.
///
/// Thread-safety: every member may be called from any thread at any time.
class WorkspaceStore {
 public:
  [[nodiscard]] std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> waiting_;
};

/// Some workspaces for the length of a run.
class WorkspaceLoan {
 public:
  WorkspaceLoan(WorkspaceStore& store, size_t count);
  WorkspaceLoan(const WorkspaceLoan&) = delete;
  WorkspaceLoan& operator=(const WorkspaceLoan&) = delete;
  ~WorkspaceLoan();

  [[nodiscard]] Workspace& operator[](size_t index) const { return *workspaces_[index]; }

 private:
  WorkspaceStore& store_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace summand::engine
