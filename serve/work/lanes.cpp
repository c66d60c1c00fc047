#include "serve/work/lanes.hpp"

#include <algorithm>
#include <utility>

namespace summand::serve {

namespace {

constexpr size_t kBulkFirst = 4;  // one batch in so many

/// Time that tokens of a computation take.
double seconds_of(const Computation& computation, size_t tokens) {
  return static_cast<double>(tokens) / computation.rate();
}

}  // namespace

size_t Lanes::Lane::tokens() const {
  size_t all = 0;
  for (const auto& [computation, tokens] : waiting) all += tokens;
  return all;
}

double Lanes::Lane::seconds() const {
  double all = 0;
  for (const auto& [computation, tokens] : waiting) all += seconds_of(*computation, tokens);
  return all;
}

bool Lanes::add(const std::shared_ptr<Job>& job) {
  const size_t tokens = job->tokens();
  const bool quick = is_quick(*job);
  Lane& lane = quick ? quick_ : bulk_;
  const double most = quick ? limits_.quick_seconds : limits_.bulk_seconds;
  const double waiting = lane.seconds();
  if (waiting > 0 && waiting + seconds_of(job->computation(), tokens) > most) return false;
  lane.jobs.push_back({.job = job, .arrival = arrivals_++});
  lane.waiting[&job->computation()] += tokens;
  return true;
}

double Lanes::seconds_ahead(const Job& job) const {
  return is_quick(job) ? quick_.seconds() : quick_.seconds() + bulk_.seconds();
}

size_t Lanes::waiting_tokens_of(const Waiting& one) {
  size_t tokens = 0;
  for (size_t piece = one.taken; piece < one.job->pieces(); ++piece) tokens += one.job->tokens_of(piece);
  return tokens;
}

void Lanes::move_to_quick() {
  double filled = quick_.seconds();
  for (auto at = bulk_.jobs.begin(); at != bulk_.jobs.end();) {
    const auto one = at++;
    if (!waits(*one) || !is_quick(*one->job)) continue;
    const Computation& computation = one->job->computation();
    const size_t tokens = waiting_tokens_of(*one);
    filled += seconds_of(computation, tokens);
    if (filled > limits_.quick_seconds / 2) return;  // the other half is for jobs that come
    bulk_.waiting[&computation] -= tokens;
    quick_.waiting[&computation] += tokens;
    const auto place =
        std::ranges::find_if(quick_.jobs, [&](const Waiting& other) { return other.arrival > one->arrival; });
    quick_.jobs.splice(place, bulk_.jobs, one);
  }
}

/// The job's next piece, if it fits.
bool Lanes::take(Lane& lane, Waiting& from, Filling& batch) const {
  const Job& job = *from.job;
  if (!waits(from) || (batch.computation && batch.computation != &job.computation())) return false;
  const size_t tokens = job.tokens_of(from.taken);
  if (batch.computation && batch.tokens + tokens > batch.budget) return false;
  if (!batch.computation) {
    batch.computation = &job.computation();
    batch.budget = limits_.batch(job.computation());
  }
  batch.pieces.push_back({.job = from.job, .index = from.taken++});
  batch.tokens += tokens;
  lane.waiting[&job.computation()] -= tokens;
  return true;
}

void Lanes::fill_from_quick(Filling& batch) {
  for (auto& waiting : quick_.jobs) {
    while (take(quick_, waiting, batch)) continue;
    if (batch.full()) return;
  }
}

void Lanes::fill_from_bulk(Filling& batch) {
  // In turns: a job that has given a piece goes behind all others. One that is refused, as one of another computation,
  // keeps its place.
  for (auto at = bulk_.jobs.begin(); at != bulk_.jobs.end() && !batch.full();) {
    const auto one = at++;
    if (!take(bulk_, *one, batch)) continue;
    bulk_.jobs.splice(bulk_.jobs.end(), bulk_.jobs, one);
    if (at == bulk_.jobs.end()) at = one;  // it was the last: it may give another
  }
}

std::vector<Piece> Lanes::next_batch() {
  move_to_quick();
  Filling batch;
  const bool has_quick = quick_.tokens() > 0, has_bulk = bulk_.tokens() > 0;
  const bool bulk_first = !has_quick || (has_bulk && ++batches_ % kBulkFirst == 0);
  if (bulk_first) fill_from_bulk(batch);
  fill_from_quick(batch);
  fill_from_bulk(batch);
  return std::move(batch.pieces);
}

std::vector<std::shared_ptr<Job>> Lanes::computed(std::span<const Piece> pieces) {
  std::vector<std::shared_ptr<Job>> complete;
  const auto look_in = [&](Lane& lane) {
    for (auto at = lane.jobs.begin(); at != lane.jobs.end();) {
      if (at->taken > at->computed) {
        at->computed +=
            static_cast<size_t>(std::ranges::count(pieces, at->job, [](const Piece& piece) { return piece.job; }));
      }
      if (at->computed < at->job->pieces()) {
        ++at;
        continue;
      }
      complete.push_back(std::move(at->job));
      at = lane.jobs.erase(at);
    }
  };
  look_in(quick_);
  look_in(bulk_);
  return complete;
}

std::shared_ptr<Job> Lanes::remove(const Job& job) {
  for (Lane* const lane : {&quick_, &bulk_}) {
    const auto at = std::ranges::find(lane->jobs, &job, [](const Waiting& one) { return one.job.get(); });
    if (at == lane->jobs.end()) continue;
    lane->waiting[&job.computation()] -= waiting_tokens_of(*at);
    auto removed = std::move(at->job);
    lane->jobs.erase(at);
    return removed;
  }
  return nullptr;
}

std::vector<std::shared_ptr<Job>> Lanes::remove_all() {
  std::vector<std::shared_ptr<Job>> all;
  for (Lane* const lane : {&quick_, &bulk_}) {
    for (auto& one : lane->jobs) all.push_back(std::move(one.job));
    *lane = {};
  }
  return all;
}

}  // namespace summand::serve
