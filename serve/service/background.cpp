#include "serve/service/background.hpp"

#include <utility>

namespace summand::serve {

Background::Background(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Background::~Background() {
  std::queue<std::function<void()>> forgotten;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    std::swap(tasks_, forgotten);
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Background::run(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push(std::move(task));
  }
  wake_.notify_one();
}

size_t Background::waiting() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void Background::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace summand::serve
