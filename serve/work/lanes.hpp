#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "serve/work/job.hpp"

namespace summand::serve {

/// Bounds on batches and on what waits. Tokens become seconds by the rate of their own computation.
struct LaneLimits {
  std::function<size_t(const Computation&)> batch = {};  ///< tokens of one; a job of at most half of it is quick
  double quick_seconds = 0;                              ///< of quick jobs together
  double bulk_seconds = 0;                               ///< of all others together
};

/// The jobs that wait, in two lanes. Small jobs take the quick lane, in order of arrival; all others take the bulk
/// lane, whose jobs give a piece each in turn, so that a large one does not hold up the next. Of four batches three
/// begin with the quick lane and one with the bulk lane, and each is filled from the other. The size of a batch follows
/// the measured speed; a job that is small after all changes to the quick lane, to its place in the order of arrival,
/// while that lane is at most half full.
///
/// A lane that is empty takes a job of any size: a request may be larger than the bounds.
class Lanes {
 public:
  explicit Lanes(LaneLimits limits) : limits_(std::move(limits)) {}

  /// @return whether the job was taken: not if its lane is full
  [[nodiscard]] bool add(const std::shared_ptr<Job>& job);

  /// The next batch: pieces of one computation, at least one and no more than its tokens; empty if nothing waits.
  [[nodiscard]] std::vector<Piece> next_batch();

  /// Says that pieces of next_batch() were computed.
  /// @return the jobs that are complete with them, which are then forgotten
  [[nodiscard]] std::vector<std::shared_ptr<Job>> computed(std::span<const Piece> pieces);

  /// Forgets a job. Its pieces in a batch that is being computed must still be passed to computed().
  /// @return the job, or null if it is not here
  std::shared_ptr<Job> remove(const Job& job);
  /// Forgets all jobs, and returns them.
  [[nodiscard]] std::vector<std::shared_ptr<Job>> remove_all();

  /// Tokens not yet in a batch.
  [[nodiscard]] size_t waiting_tokens() const { return quick_.tokens() + bulk_.tokens(); }
  /// Jobs not yet complete.
  [[nodiscard]] size_t jobs() const { return quick_.jobs.size() + bulk_.jobs.size(); }
  /// What waits in front of a job, when it is added now.
  [[nodiscard]] double seconds_ahead(const Job& job) const;

 private:
  struct Waiting {
    std::shared_ptr<Job> job;
    size_t arrival = 0;   // its number
    size_t taken = 0;     // pieces in batches
    size_t computed = 0;  // of these
  };
  struct Lane {
    std::list<Waiting> jobs;
    std::map<const Computation*, size_t> waiting;  // tokens not yet in a batch

    [[nodiscard]] size_t tokens() const;
    [[nodiscard]] double seconds() const;
  };
  struct Filling {
    std::vector<Piece> pieces = {};
    size_t tokens = 0;
    size_t budget = 0;  // once there is a piece
    const Computation* computation = nullptr;

    [[nodiscard]] bool full() const { return computation && tokens >= budget; }
  };

  [[nodiscard]] bool is_quick(const Job& job) const { return job.tokens() <= limits_.batch(job.computation()) / 2; }
  void move_to_quick();
  [[nodiscard]] static bool waits(const Waiting& one) { return one.taken < one.job->pieces(); }
  [[nodiscard]] static size_t waiting_tokens_of(const Waiting& one);
  [[nodiscard]] bool take(Lane& lane, Waiting& from, Filling& batch) const;
  void fill_from_quick(Filling& batch);
  void fill_from_bulk(Filling& batch);

  const LaneLimits limits_;
  Lane quick_;
  Lane bulk_;
  size_t batches_ = 0;
  size_t arrivals_ = 0;
};

}  // namespace summand::serve
