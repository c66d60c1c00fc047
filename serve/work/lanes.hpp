#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "serve/work/job.hpp"

namespace summand::serve {

/// Bounds on what waits, in tokens.
struct LaneLimits {
  size_t batch = 0;          ///< a job of at most half of it is quick
  size_t quick_waiting = 0;  ///< of quick jobs together
  size_t bulk_waiting = 0;   ///< of all others together
};

/// The jobs that wait, in two lanes. Small jobs take the quick lane, in order of arrival; all others take the bulk
/// lane, whose jobs give a piece each in turn, so that a large one does not hold up the next. Of four batches three
/// begin with the quick lane and one with the bulk lane, and each is filled from the other. The size of a batch follows
/// the measured speed; a job that is small after all changes to the quick lane, to its place in the order of arrival.
///
/// A lane that is empty takes a job of any size: a request may be larger than the bounds.
class Lanes {
 public:
  /// @return whether the job was taken: not if its lane is full
  [[nodiscard]] bool add(const std::shared_ptr<Job>& job, const LaneLimits& limits);

  /// Tokens of a batch of a computation.
  using Budget = std::function<size_t(const Computation&)>;
  /// The next batch: pieces of one computation, at least one and no more than its budget; empty if nothing waits.
  [[nodiscard]] std::vector<Piece> next_batch(const Budget& budget);

  /// Says that pieces of next_batch() were computed.
  /// @return the jobs that are complete with them, which are then forgotten
  [[nodiscard]] std::vector<std::shared_ptr<Job>> computed(std::span<const Piece> pieces);

  /// Forgets a job. Its pieces in a batch that is being computed must still be passed to computed().
  /// @return the job, or null if it is not here
  std::shared_ptr<Job> remove(const Job& job);
  /// Forgets all jobs, and returns them.
  [[nodiscard]] std::vector<std::shared_ptr<Job>> remove_all();

  /// Tokens not yet in a batch.
  [[nodiscard]] size_t waiting_tokens() const { return quick_.waiting + bulk_.waiting; }
  /// Jobs not yet complete.
  [[nodiscard]] size_t jobs() const { return quick_.jobs.size() + bulk_.jobs.size(); }
  /// Tokens that wait in front of a job of so many, when it is added now.
  [[nodiscard]] size_t tokens_ahead(size_t tokens, const LaneLimits& limits) const;

 private:
  struct Waiting {
    std::shared_ptr<Job> job;
    size_t arrival = 0;   // its number
    size_t taken = 0;     // pieces in batches
    size_t computed = 0;  // of these
  };
  struct Lane {
    std::list<Waiting> jobs;
    size_t waiting = 0;  // tokens not yet in a batch
  };
  struct Filling {
    const Budget& budget_of;
    std::vector<Piece> pieces = {};
    size_t tokens = 0;
    size_t budget = 0;  // once there is a piece
    const Computation* computation = nullptr;

    [[nodiscard]] bool full() const { return computation && tokens >= budget; }
  };

  void move_to_quick(const Budget& budget);
  [[nodiscard]] static bool waits(const Waiting& one) { return one.taken < one.job->pieces(); }
  [[nodiscard]] static size_t waiting_tokens_of(const Waiting& one);
  [[nodiscard]] static bool take(Lane& lane, Waiting& from, Filling& batch);
  void fill_from_quick(Filling& batch);
  void fill_from_bulk(Filling& batch);

  Lane quick_;
  Lane bulk_;
  size_t batches_ = 0;
  size_t arrivals_ = 0;
};

}  // namespace summand::serve
