#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train/run/share.hpp"

namespace summand::train {

/// The processes that train together, as torchrun starts them: ranks 0 to size() − 1. Rank 0 writes and prints. All
/// call the same functions in the same order; each of them fails if another process has ended.
class Ranks {
 public:
  /// One process, which trains alone.
  Ranks();
  /// Joins the processes that RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT name; without them, or of one, trains
  /// alone. Waits for the others for SUMMAND_JOIN_SECONDS, by default 300.
  /// @throws UsageError if a variable is malformed; IoError if the others cannot be reached
  [[nodiscard]] static Ranks from_environment();
  Ranks(Ranks&&) noexcept;
  Ranks& operator=(Ranks&&) noexcept;
  ~Ranks();

  [[nodiscard]] int rank() const { return share_.rank; }
  [[nodiscard]] int size() const { return share_.size; }
  [[nodiscard]] bool is_first() const { return share_.rank == 0; }
  [[nodiscard]] bool is_alone() const { return share_.size == 1; }
  [[nodiscard]] const Share& share() const { return share_; }
  /// Number of this process among those on its machine.
  [[nodiscard]] int local_rank() const { return local_.rank; }
  /// Threads for each process on this machine, where the user asks for none.
  [[nodiscard]] int default_threads() const;

  /// Sums single-precision tensors over all ranks, in place. Each number is summed by one rank, in order of the ranks,
  /// so that all ranks have the same bits, run after run.
  void sum(std::span<const at::Tensor> tensors);
  /// Likewise.
  [[nodiscard]] std::vector<double> sum(const std::vector<double>& numbers);
  /// Texts of all ranks. @return [ranks]
  [[nodiscard]] std::vector<std::string> gather(const std::string& text);
  /// Rank 0's tensor; for the others, in place.
  void copy_from_first(const at::Tensor& tensor);
  /// Rank 0's text. Waits while rank 0 works alone, a day at most.
  [[nodiscard]] std::string from_first(const std::string& text);

  /// make(), by rank 0 before the others.
  template <class Make>
  [[nodiscard]] auto first_then_others(const Make& make) {
    if (!is_first()) static_cast<void>(from_first(""));
    auto made = make();
    if (is_first()) static_cast<void>(from_first(""));
    return made;
  }

  /// Whether this process is the one that says why the run fails: the first to ask.
  [[nodiscard]] bool may_complain();

 private:
  struct Group;
  Ranks(const Share& share, const Share& local, std::unique_ptr<Group> group);

  Share share_;
  Share local_;                   // among the processes on this machine
  std::unique_ptr<Group> group_;  // null: alone
};

}  // namespace summand::train
