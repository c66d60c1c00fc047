#include "serve/work/worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace summand::serve {

namespace {

/// Below this a product's rows do not fill what the kernels compute together.
constexpr size_t kLeastBatch = 128;  // tokens

}  // namespace

Worker::Worker(WorkerOptions options)
    : options_(std::move(options)),
      lanes_({.batch = [this](const Computation& computation) { return batch_tokens(computation); },
              .quick_seconds = std::chrono::duration<double>(options_.most_quick).count(),
              .bulk_seconds = std::chrono::duration<double>(options_.most_bulk).count()}),
      thread_([this] { work(); }) {}

Worker::~Worker() {
  stop();
}

void Worker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  std::vector<std::shared_ptr<Job>> left;
  {
    const std::lock_guard lock(mutex_);
    left = lanes_.remove_all();
  }
  for (const auto& job : left) job->end(Ending::withdrawn);
}

size_t Worker::batch_tokens(const Computation& computation) const {
  const double seconds = std::chrono::duration<double>(options_.batch).count();
  return std::max(kLeastBatch, static_cast<size_t>(computation.rate() * seconds));
}

std::optional<Refusal> Worker::submit(const std::shared_ptr<Job>& job) {
  job->submit();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || !lanes_.add(job))
      return Refusal{.wait = std::chrono::duration<double>(lanes_.seconds_ahead(*job))};
  }
  wake_.notify_one();
  return std::nullopt;
}

void Worker::withdraw(const std::shared_ptr<Job>& job) {
  std::shared_ptr<Job> removed;
  {
    const std::lock_guard lock(mutex_);
    removed = lanes_.remove(*job);
  }
  if (removed) removed->end(Ending::withdrawn);
}

Load Worker::load() const {
  const std::lock_guard lock(mutex_);
  Load load = done_;
  load.jobs = lanes_.jobs();
  load.waiting_tokens = lanes_.waiting_tokens();
  return load;
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || lanes_.waiting_tokens() > 0; });
    if (stopping_) return;
    const auto batch = lanes_.next_batch();
    const auto now = std::chrono::steady_clock::now();
    for (const auto& piece : batch) piece.job->begin(now);  // while nobody can withdraw it
    lock.unlock();
    compute(batch);
    lock.lock();
  }
}

void Worker::compute(const std::vector<Piece>& batch) {
  using Clock = std::chrono::steady_clock;
  Computation& computation = batch.front().job->computation();
  size_t tokens = 0;
  for (const auto& piece : batch) tokens += piece.job->tokens_of(piece.index);
  std::exception_ptr fault;
  const auto start = Clock::now();
  try {
    computation.run(batch);
  } catch (...) {
    fault = std::current_exception();
  }
  const std::chrono::duration<double> took = Clock::now() - start;
  if (!fault) computation.measured(tokens, took.count());
  if (options_.on_batch) options_.on_batch(batch.size(), tokens);

  std::vector<std::shared_ptr<Job>> ended;
  {
    const std::lock_guard lock(mutex_);
    ++done_.batches;
    done_.tokens += tokens;
    done_.busy_seconds += took.count();
    if (!fault) {
      ended = lanes_.computed(batch);
    } else {
      for (const auto& piece : batch) {
        if (auto job = lanes_.remove(*piece.job)) ended.push_back(std::move(job));
      }
    }
  }
  for (const auto& job : ended) job->end(fault ? Ending::failed : Ending::done, fault);
}

}  // namespace summand::serve
