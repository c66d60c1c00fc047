#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace summand::serve {

class Job;

/// A part of a job that is computed whole, in one batch: a sequence, or a call of its own.
struct Piece {
  std::shared_ptr<Job> job;
  size_t index = 0;  ///< among the job's
};

/// What can be computed together, and how fast. Lives longer than its jobs.
class Computation {
 public:
  Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  virtual ~Computation() = default;

  /// Computes the pieces, all of jobs of this computation, and keeps the results in the jobs. Called on the worker's
  /// thread. What it throws ends every job that has a piece here.
  virtual void run(std::span<const Piece> pieces) = 0;

  /// The speed of late, in tokens a second.
  ///
  /// Thread-safety: any thread may ask.
  [[nodiscard]] double rate() const { return rate_.load(std::memory_order_relaxed); }
  /// Takes a batch into account: older ones count half as much with every second of work. The first ever counts alone.
  void measured(size_t tokens, double seconds);

 private:
  static constexpr double kFirstGuess = 2000;

  std::atomic<double> rate_ = kFirstGuess;
  double tokens_ = 0;
  double seconds_ = 0;
};

/// How a job ended.
enum class Ending { done, failed, withdrawn };

/// The work of one request.
class Job {
 public:
  /// Called once, on the worker's thread or on the one that withdrew the job.
  using OnEnd = std::function<void(Job& job, Ending ending)>;

  /// @param tokens  of each piece; at least one piece
  Job(Computation& computation, std::vector<size_t> tokens, OnEnd on_end)
      : computation_(computation), tokens_(std::move(tokens)), on_end_(std::move(on_end)) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  [[nodiscard]] Computation& computation() const { return computation_; }
  [[nodiscard]] size_t pieces() const { return tokens_.size(); }
  [[nodiscard]] size_t tokens_of(size_t piece) const { return tokens_[piece]; }
  [[nodiscard]] size_t tokens() const { return std::reduce(tokens_.begin(), tokens_.end(), size_t{0}); }
  /// Why it failed; null if it did not.
  [[nodiscard]] const std::exception_ptr& fault() const { return fault_; }

  using Time = std::chrono::steady_clock::time_point;
  // When it was taken, when its first batch began and when it ended; of one that never began, both at the end.

  [[nodiscard]] Time submitted() const { return submitted_; }
  [[nodiscard]] Time begun() const { return begun_.value_or(ended_); }
  [[nodiscard]] Time ended() const { return ended_; }

  // For Worker.

  void submit() { submitted_ = std::chrono::steady_clock::now(); }
  void begin(Time now) {
    if (!begun_) begun_ = now;
  }
  void end(Ending ending, std::exception_ptr fault = nullptr) {
    ended_ = std::chrono::steady_clock::now();
    fault_ = std::move(fault);
    if (on_end_) std::exchange(on_end_, nullptr)(*this, ending);
  }

 private:
  Computation& computation_;
  std::vector<size_t> tokens_;
  OnEnd on_end_;
  std::exception_ptr fault_;
  Time submitted_ = {};
  std::optional<Time> begun_ = {};
  Time ended_ = {};
};

}  // namespace summand::serve
