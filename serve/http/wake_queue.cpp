#include "serve/http/wake_queue.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace summand::serve::http {

void WakeQueue::wake(std::weak_ptr<Sleeper> sleeper) {
  const std::lock_guard lock(mutex_);
  if (loop_ == nullptr) return;
  sleepers_.push_back(std::move(sleeper));
  if (sleepers_.size() == 1) boost::asio::post(*loop_, [self = shared_from_this()] { self->wake_all(); });
}

void WakeQueue::close() {
  const std::lock_guard lock(mutex_);
  loop_ = nullptr;
}

void WakeQueue::wake_all() {
  std::vector<std::weak_ptr<Sleeper>> woken;
  {
    const std::lock_guard lock(mutex_);
    woken.swap(sleepers_);
  }
  for (const auto& weak : woken) {
    if (const auto sleeper = weak.lock()) sleeper->wake();
  }
}

}  // namespace summand::serve::http
