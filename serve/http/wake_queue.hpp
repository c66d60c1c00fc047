#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace summand::serve::http {

/// What waits on the server's thread and can be woken there.
class Sleeper {
 public:
  Sleeper() = default;
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  virtual ~Sleeper() = default;
  /// On the server's thread.
  virtual void wake() = 0;
};

/// Wakes connections from other threads: many at once cost one turn of the loop. Outlives the server, as exchanges do.
///
/// Thread-safety: members may be called from any thread.
class WakeQueue : public std::enable_shared_from_this<WakeQueue> {
 public:
  explicit WakeQueue(boost::asio::io_context& loop) : loop_(&loop) {}

  void wake(std::weak_ptr<Sleeper> sleeper);
  /// The loop is about to end: nothing is woken any more.
  void close();

 private:
  void wake_all();

  std::mutex mutex_;
  boost::asio::io_context* loop_;                 // guarded by the mutex
  std::vector<std::weak_ptr<Sleeper>> sleepers_;  // guarded by the mutex
};

}  // namespace summand::serve::http
