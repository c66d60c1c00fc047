#include "base/fork_mutex.hpp"

#include <pthread.h>

namespace summand {

namespace {

// Constant-initialised and never destroyed: they serve whatever is made before and destroyed after them.
constinit std::mutex list_mutex;
constinit ForkMutex* first = nullptr;  // guarded by list_mutex

}  // namespace

struct ForkMutex::AtFork {
  static void lock_all() {
    list_mutex.lock();
    for (ForkMutex* one = first; one != nullptr; one = one->after_) one->lock();
  }
  /// In the parent and in the child, where the thread that forked holds them all as well.
  static void unlock_all() {
    for (ForkMutex* one = first; one != nullptr; one = one->after_) one->unlock();
    list_mutex.unlock();
  }
  /// Before main(), so that no fork comes too early.
  inline static const int registered = ::pthread_atfork(lock_all, unlock_all, unlock_all);
};

ForkMutex::ForkMutex() {
  const std::lock_guard lock(list_mutex);
  after_ = first;
  if (first != nullptr) first->before_ = this;
  first = this;
}

ForkMutex::~ForkMutex() {
  const std::lock_guard lock(list_mutex);
  if (after_ != nullptr) after_->before_ = before_;
  (before_ == nullptr ? first : before_->after_) = after_;
}

}  // namespace summand
