#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/fork_mutex.hpp"
#include "base/matrix_view.hpp"
#include "engine/kernels/arithmetic.hpp"
#include "engine/layers/aligned_buffer.hpp"
#include "engine/layers/attention.hpp"
#include "engine/layers/half_attention.hpp"
#include "engine/layers/product_input.hpp"

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

/// Buffers of a group of texts.
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

  void fit(const Arithmetic& arithmetic, const WorkspaceSize& size);
};

/// One thread's scratch memory, besides the buffers of a group.
struct Workspace {
  AttentionScratch attention;
  HalfAttentionScratch half_attention;
  AlignedFloats block;                         ///< [rows of a panel, columns of a block], before an activation
  std::vector<MatrixView<const float>> views;  ///< of a text's results

  /// Makes room for attention and the products of one thread.
  /// @param length  of the longest text
  void fit(const Arithmetic& arithmetic, size_t length, size_t head_size, size_t panel_rows);
};

/// A LIFO pool of idle objects, so that a single caller reuses the same ones. Objects unused for a while, and those
/// above a limit, are released.
template <class T>
class IdlePool {
 public:
  explicit IdlePool(size_t most) : most_(most) {}

  /// @return null if the pool is empty
  [[nodiscard]] std::unique_ptr<T> take() {
    if (idle_.empty()) return nullptr;
    auto thing = std::move(idle_.back());
    idle_.pop_back();
    unused_ = std::min(unused_, idle_.size());
    return thing;
  }
  void give_back(std::unique_ptr<T> thing) { idle_.push_back(std::move(thing)); }

  /// To be called after a run has given everything back. @return the objects to release
  [[nodiscard]] std::vector<std::unique_ptr<T>> trim() {
    size_t count = idle_.size() - std::min(idle_.size(), most_);
    if (++runs_ >= kAWhile) {
      count = std::max(count, unused_);
      runs_ = 0;
      unused_ = idle_.size() - count;
    }
    return first(count);
  }
  [[nodiscard]] std::vector<std::unique_ptr<T>> release_all() {
    unused_ = 0;
    return first(idle_.size());
  }

 private:
  static constexpr size_t kAWhile = 32;  ///< runs

  std::vector<std::unique_ptr<T>> first(size_t count) {
    const auto end = idle_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<std::unique_ptr<T>> gone(std::make_move_iterator(idle_.begin()), std::make_move_iterator(end));
    idle_.erase(idle_.begin(), end);
    unused_ = std::min(unused_, idle_.size());
    return gone;
  }

  size_t most_;
  std::vector<std::unique_ptr<T>> idle_;  // the first was not used for longest
  size_t unused_ = 0;                     // how many of the first nobody took since the last while began
  size_t runs_ = 0;                       // since then
};

/// The workspaces of one run.
struct Workspaces {
  std::vector<std::unique_ptr<GroupBuffers>> groups;
  std::vector<std::unique_ptr<Workspace>> threads;
};

/// Pools workspaces between runs. Concurrent runs take different ones; at most one run's workspaces are kept.
///
/// Thread-safety: members may be called from any thread at any time; fork-safe.
class WorkspaceStore {
 public:
  /// @param threads  of the engine
  explicit WorkspaceStore(size_t threads) : groups_(threads), threads_(threads) {}

  [[nodiscard]] Workspaces take(size_t groups, size_t threads);
  void give_back(Workspaces workspaces);
  /// Frees all pooled workspaces.
  void release();

 private:
  ForkMutex mutex_;
  IdlePool<GroupBuffers> groups_;
  IdlePool<Workspace> threads_;
};

/// The workspaces of a run, given back at its end.
class WorkspaceLoan {
 public:
  WorkspaceLoan(WorkspaceStore& store, size_t groups, size_t threads)
      : store_(store), workspaces_(store.take(groups, threads)) {}
  WorkspaceLoan(const WorkspaceLoan&) = delete;
  WorkspaceLoan& operator=(const WorkspaceLoan&) = delete;
  ~WorkspaceLoan() { store_.give_back(std::move(workspaces_)); }

  [[nodiscard]] GroupBuffers& group(size_t index) const { return *workspaces_.groups[index]; }
  [[nodiscard]] Workspace& thread(size_t index) const { return *workspaces_.threads[index]; }

 private:
  WorkspaceStore& store_;
  Workspaces workspaces_;
};

}  // namespace summand::engine
