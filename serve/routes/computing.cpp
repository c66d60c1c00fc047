#include "serve/routes/computing.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "model/heads.hpp"

namespace summand::serve {

namespace {

/// Numbers of an answer that are written on the worker's thread; more are left to the background.
constexpr size_t kWrittenAtOnce = 32'768;

constexpr size_t kWrittenSoon = 1'000'000;

void go_on(const std::shared_ptr<Call>& call, size_t numbers, std::function<void()> then) {
  if (numbers <= kWrittenAtOnce) return call->attempt(then);
  auto& service = call->service();
  auto& background = numbers <= kWrittenSoon ? service.small_background : service.background;
  background.run([call, then = std::move(then)] { call->attempt(then); });
}

/// Says when a job began and how long it took, and answers for one that was not done.
/// @return whether it was
bool was_done(const std::shared_ptr<Call>& call, Job& job, Ending ending) {
  const auto seconds = [](auto duration) { return std::chrono::duration<double>(duration).count(); };
  call->set_times(seconds(job.begun() - job.submitted()), seconds(job.ended() - job.begun()));
  if (ending == Ending::done) return true;
  if (ending == Ending::withdrawn) {
    call->dropped();
  } else {
    call->attempt([&] { std::rethrow_exception(job.fault()); });
  }
  return false;
}

void submit(const std::shared_ptr<Call>& call, const std::shared_ptr<Job>& job) {
  auto& worker = call->service().worker;
  if (const auto refusal = worker.submit(job)) {
    call->refund();
    throw Refused{Fault::overloaded, "Model is overloaded", "", refusal->wait.count()};
  }
  call->on_gone([&worker, waiting = std::weak_ptr<Job>(job)] {
    if (const auto left = waiting.lock()) worker.withdraw(left);
  });
}

/// The rows that the store has, and the sequences that are left.
struct LookedUp {
  Rows rows;
  std::vector<size_t> places = {};  // of the sequences that are left, in rows
  std::vector<api::Sequence> left = {};
};

LookedUp look_up(ResultStore& store, int32_t settings, std::vector<api::Sequence> sequences) {
  LookedUp found{.rows = Rows(sequences.size())};
  for (size_t i = 0; i < sequences.size(); ++i) {
    if (auto row = store.find(settings, sequences[i])) {
      found.rows[i] = *std::move(row);
    } else {
      found.places.push_back(i);
      found.left.push_back(std::move(sequences[i]));
    }
  }
  return found;
}

/// @param make  a job of the sequences that are left
template <class MakeJob>
void compute_rows(const std::shared_ptr<Call>& call, LookedUp found, const MakeJob& make,
                  std::function<void(Rows)> then) {
  call->set_stored(found.rows.size() - found.left.size());
  if (found.left.empty()) return then(std::move(found.rows));
  auto on_end = [call, places = std::move(found.places), rows = std::move(found.rows), then = std::move(then)](
                    Job& job, Ending ending) mutable {
    if (!was_done(call, job, ending)) return;
    size_t numbers = 0;
    for (size_t i = 0; i < places.size(); ++i) rows[places[i]] = std::move(static_cast<RowsJob&>(job).row(i));
    for (const auto& row : rows) numbers += row.size();
    // A std::function is copied, what it holds with it: the rows are not.
    go_on(call, numbers,
          [then = std::move(then), rows = std::make_shared<Rows>(std::move(rows))] { then(std::move(*rows)); });
  };
  submit(call, make(std::move(found.left), std::move(on_end)));
}

}  // namespace

void require_head(const ServedModel& model, model::Head head) {
  if (model.model().checkpoint().parts.has(head)) return;
  throw Refused{Fault::other_model, fmt::format("the model '{}' has no {} head", model.name(), model::name_of(head)),
                "model"};
}

void compute_vectors(const std::shared_ptr<Call>& call, ServedModel& model,
                     const std::shared_ptr<const api::Embedder>& embedder, std::vector<api::Sequence> sequences,
                     std::function<void(Rows)> then) {
  std::string settings = "vector";
  for (const auto& setting : embedder->settings_of_vector()) settings += '\n' + setting.name + ' ' + setting.value;
  const int32_t number = model.store().number_of(settings);
  compute_rows(
      call, look_up(model.store(), number, std::move(sequences)),
      [&](std::vector<api::Sequence> left, Job::OnEnd on_end) {
        return std::make_shared<VectorsJob>(model.vectors(), embedder, std::move(left), number, std::move(on_end));
      },
      std::move(then));
}

void compute_labels(const std::shared_ptr<Call>& call, ServedModel& model, std::vector<api::Sequence> sequences,
                    std::function<void(Rows)> then) {
  require_head(model, model::Head::sequence_classification);
  const int32_t number = model.store().number_of("labels");
  compute_rows(
      call, look_up(model.store(), number, std::move(sequences)),
      [&](std::vector<api::Sequence> left, Job::OnEnd on_end) {
        return std::make_shared<RowsJob>(model.labels(), std::move(left), number, std::move(on_end));
      },
      std::move(then));
}

void compute_pieces(const std::shared_ptr<Call>& call, ServedModel& model, std::vector<size_t> tokens,
                    std::function<void(size_t piece)> run, std::function<void()> then) {
  auto on_end = [call, then = std::move(then)](Job& job, Ending ending) {
    if (was_done(call, job, ending)) go_on(call, kWrittenAtOnce + 1, then);
  };
  submit(call, std::make_shared<CallsJob>(model.calls(), std::move(tokens), std::move(run), std::move(on_end)));
}

}  // namespace summand::serve
