#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace summand::serve {

/// Threads for what would hold up the server's loop: reading and tokenizing large bodies, writing large answers.
///
/// Thread-safety: run() may be called from any thread.
class Background {
 public:
  explicit Background(int threads);
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  /// Finishes what was begun, and forgets the rest.
  ~Background();

  /// @param task  must not throw
  void run(std::function<void()> task);
  /// Tasks that have not begun.
  [[nodiscard]] size_t waiting() const;

 private:
  void work();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace summand::serve
