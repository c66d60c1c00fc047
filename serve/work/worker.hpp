#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "serve/work/lanes.hpp"

namespace summand::serve {

/// Bounds in time; the worker makes tokens of them by the rate that it measures.
struct WorkerOptions {
  std::chrono::milliseconds batch{50};          ///< of one batch
  std::chrono::milliseconds most_quick{2'000};  ///< that a quick job may have to wait when it is taken
  std::chrono::milliseconds most_bulk{60'000};  ///< that any other may
  /// Called on the worker's thread when a batch is done. It does not throw.
  std::function<void(size_t pieces, size_t tokens)> on_batch = {};
};

/// What there is to do.
struct Load {
  size_t jobs = 0;            ///< taken and not complete
  size_t waiting_tokens = 0;  ///< not yet in a batch
  size_t batches = 0;         ///< computed since the start
  size_t tokens = 0;          ///< of these
  double busy_seconds = 0;    ///< that they took
};

/// Why a job was not taken.
struct Refusal {
  std::chrono::duration<double> wait;  ///< what is in front of it takes about so long
};

/// Computes jobs, batch after batch, on a thread of its own. There is no timer: a batch is what waits when the last one
/// is done, up to a bound in time.
///
/// Thread-safety: members may be called from any thread.
class Worker {
 public:
  explicit Worker(WorkerOptions options);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();
  /// Ends its thread, withdraws what is left, and takes nothing more.
  void stop();

  /// @return nothing if the job was taken: it will then end, once
  [[nodiscard]] std::optional<Refusal> submit(const std::shared_ptr<Job>& job);
  /// Ends a job that is not complete as withdrawn, and forgets the rest of its work.
  void withdraw(const std::shared_ptr<Job>& job);

  [[nodiscard]] Load load() const;
  /// Tokens of a batch now.
  [[nodiscard]] size_t batch_tokens(const Computation& computation) const;

 private:
  void work();
  void compute(const std::vector<Piece>& batch);

  const WorkerOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Lanes lanes_;
  Load done_;  // but for jobs and waiting_tokens
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace summand::serve
