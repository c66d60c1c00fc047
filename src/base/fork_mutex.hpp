#pragma once

#include <mutex>

namespace summand {

/// A mutex that fork() waits for: in the child it is open and what it guards is whole, whatever the parent's other
/// threads were doing at that moment. (Those threads do not exist in the child; an ordinary mutex that one of them held
/// would stay locked there for ever.)
///
/// While fork() waits, others wait for it, so what is done under such a mutex has to end without a second one.
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;
  ~ForkMutex();

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct AtFork;  // goes through all of them

  std::mutex mutex_;
  ForkMutex* before_ = nullptr;  // of all that exist
  ForkMutex* after_ = nullptr;
};

}  // namespace summand
