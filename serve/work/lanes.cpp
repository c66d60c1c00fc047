#include "serve/work/lanes.hpp"

#include <algorithm>
#include <utility>

namespace summand::serve {

namespace {

constexpr size_t kBulkFirst = 4;  // one batch in so many

bool is_quick(size_t tokens, size_t batch) {
  return tokens <= batch / 2;
}

}  // namespace

bool Lanes::add(const std::shared_ptr<Job>& job, const LaneLimits& limits) {
  const size_t tokens = job->tokens();
  const bool quick = is_quick(tokens, limits.batch);
  Lane& lane = quick ? quick_ : bulk_;
  const size_t most = quick ? limits.quick_waiting : limits.bulk_waiting;
  if (lane.waiting > 0 && lane.waiting + tokens > most) return false;
  lane.jobs.push_back({.job = job, .arrival = arrivals_++});
  lane.waiting += tokens;
  return true;
}

size_t Lanes::tokens_ahead(size_t tokens, const LaneLimits& limits) const {
  return is_quick(tokens, limits.batch) ? quick_.waiting : waiting_tokens();
}

size_t Lanes::waiting_tokens_of(const Waiting& one) {
  size_t tokens = 0;
  for (size_t piece = one.taken; piece < one.job->pieces(); ++piece) tokens += one.job->tokens_of(piece);
  return tokens;
}

void Lanes::move_to_quick(const Budget& budget) {
  for (auto at = bulk_.jobs.begin(); at != bulk_.jobs.end();) {
    const auto one = at++;
    if (!waits(*one) || !is_quick(one->job->tokens(), budget(one->job->computation()))) continue;
    const size_t tokens = waiting_tokens_of(*one);
    bulk_.waiting -= tokens;
    quick_.waiting += tokens;
    const auto place =
        std::ranges::find_if(quick_.jobs, [&](const Waiting& other) { return other.arrival > one->arrival; });
    quick_.jobs.splice(place, bulk_.jobs, one);
  }
}

/// The job's next piece, if it fits.
bool Lanes::take(Lane& lane, Waiting& from, Filling& batch) {
  const Job& job = *from.job;
  if (!waits(from) || (batch.computation && batch.computation != &job.computation())) return false;
  const size_t tokens = job.tokens_of(from.taken);
  if (batch.computation && batch.tokens + tokens > batch.budget) return false;
  if (!batch.computation) {
    batch.computation = &job.computation();
    batch.budget = batch.budget_of(job.computation());
  }
  batch.pieces.push_back({.job = from.job, .index = from.taken++});
  batch.tokens += tokens;
  lane.waiting -= tokens;
  return true;
}

void Lanes::fill_from_quick(Filling& batch) {
  for (auto& waiting : quick_.jobs) {
    while (take(quick_, waiting, batch)) continue;
    if (batch.full()) return;
  }
}

void Lanes::fill_from_bulk(Filling& batch) {
  // In turns: a job that has given a piece goes behind all others.
  size_t refused = 0;
  while (refused < bulk_.jobs.size() && !batch.full()) {
    refused = take(bulk_, bulk_.jobs.front(), batch) ? 0 : refused + 1;
    bulk_.jobs.splice(bulk_.jobs.end(), bulk_.jobs, bulk_.jobs.begin());
  }
}

std::vector<Piece> Lanes::next_batch(const Budget& budget) {
  move_to_quick(budget);
  Filling batch{.budget_of = budget};
  const bool bulk_first = quick_.waiting == 0 || (bulk_.waiting > 0 && ++batches_ % kBulkFirst == 0);
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
    lane->waiting -= waiting_tokens_of(*at);
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
