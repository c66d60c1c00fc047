#include "serve/work/worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace summand::serve {

namespace {

/// Below this a product's rows do not fill what the kernels compute together.
constexpr size_t kLeastBatch = 128;  // tokens

size_t tokens_in(const Computation& computation, std::chrono::duration<double> time) {
  return std::max(kLeastBatch, static_cast<size_t>(computation.rate() * time.count()));
}

}  // namespace

Worker::Worker(WorkerOptions options) : options_(options), thread_([this] { work(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  for (const auto& job : lanes_.remove_all()) job->end(Ending::withdrawn);
}

size_t Worker::budget(const Computation& computation) const {
  return tokens_in(computation, options_.batch);
}

LaneLimits Worker::limits(const Computation& computation) const {
  return {.batch = budget(computation),
          .quick_waiting = tokens_in(computation, options_.most_quick),
          .bulk_waiting = tokens_in(computation, options_.most_bulk)};
}

std::optional<Refusal> Worker::submit(const std::shared_ptr<Job>& job) {
  const Computation& computation = job->computation();
  job->submit();
  const auto limit = limits(computation);
  {
    const std::lock_guard lock(mutex_);
    if (!lanes_.add(job, limit)) {
      const auto ahead = static_cast<double>(lanes_.tokens_ahead(job->tokens(), limit));
      return Refusal{.wait = std::chrono::duration<double>(ahead / computation.rate())};
    }
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
    const auto batch = lanes_.next_batch([this](const Computation& computation) { return budget(computation); });
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
