#pragma once

#include <mutex>

namespace summand {

/// A mutex that fork() waits for. In the child it is unlocked and the data it guards is consistent. An ordinary mutex
/// held by another thread of the parent would stay locked in the child for ever, as that thread does not exist there.
///
/// Code under such a mutex must not take a second one: it could deadlock with fork().
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;
  ~ForkMutex();

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct AtFork;  // locks all of them

  std::mutex mutex_;
  ForkMutex* before_ = nullptr;  // in the list of all
  ForkMutex* after_ = nullptr;
};

}  // namespace summand
