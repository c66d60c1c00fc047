#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace summand::serve::live {

/// Keeps the last few results, by what they are of.
///
/// Thread-safety: members may be called from several threads at once; two may compute the same.
template <class Key, class Value>
class Recent {
 public:
  explicit Recent(size_t most) : most_(most) {}

  /// The kept value, or what `make` returns, which is kept then.
  [[nodiscard]] std::shared_ptr<const Value> find_or(const Key& key, const std::function<Value()>& make) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find(kept_, key, &Entry::first);
      if (found != kept_.end()) return found->second;
    }
    auto made = std::make_shared<const Value>(make());
    const std::lock_guard lock(mutex_);
    kept_.emplace_front(key, made);
    if (kept_.size() > most_) kept_.pop_back();
    return made;
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<const Value>>;

  size_t most_;
  std::mutex mutex_;
  std::deque<Entry> kept_;
};

}  // namespace summand::serve::live
