#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "engine/layers/network.hpp"
#include "engine/run/group_pass.hpp"
#include "engine/run/schedule.hpp"
#include "engine/run/team.hpp"
#include "engine/run/workspace.hpp"

namespace summand::engine {

namespace {

/// Where all threads share a group, a panel is smaller, so that there are more of them to share.
constexpr size_t kSharedPanelRows = 64;

int threads_of(const EngineOptions& options) {
  if (options.threads < 0) {
    throw UsageError("engine", fmt::format("threads: expected at least 0, got {}", options.threads));
  }
  return options.threads == 0 ? available_threads() : options.threads;
}

void check_head(const Network& network, model::Head head) {
  if (network.output_heads.has(head)) return;
  throw UsageError("engine", fmt::format("{} head: the model has none", model::name_of(head)));
}

void check_masked(const RunRequest& request, const model::Batch& batch) {
  for (size_t i = 0; i < request.masked.size(); ++i) {
    const size_t least = i == 0 ? 0 : request.masked[i - 1] + 1;
    if (request.masked[i] >= least && request.masked[i] < batch.tokens()) continue;
    throw UsageError("engine", fmt::format("masked token {}: expected {} to {}, ascending, got {}", i, least,
                                           static_cast<int64_t>(batch.tokens()) - 1, request.masked[i]));
  }
}

void check(const RunRequest& request, const model::Batch& batch, const Network& network) {
  const size_t layers = network.layers.size();
  for (const size_t state : request.hidden_states) {
    if (state <= layers) continue;
    throw UsageError("engine", fmt::format("hidden state: expected 0 to {}, got {}", layers, state));
  }
  if (request.taps != nullptr && network.arithmetic.precision != Precision::fp32) {
    throw UsageError("engine", fmt::format("taps: expected an engine in fp32, got {}",
                                           model::name_of(network.arithmetic.precision)));
  }
  check_masked(request, batch);
  if (!request.head) return;
  check_head(network, *request.head);
  if (*request.head == model::Head::masked_language && request.pooled == Pooled::compute) {
    throw UsageError("engine", "the pooled output and the masked-language head are computed in runs of their own");
  }
}

Picking picking_of(const RunRequest& request, const Network& network) {
  if (request.head == model::Head::masked_language) return Picking::masked_tokens;
  return needs_pooled_output(request, network) ? Picking::first_tokens : Picking::none;
}

/// How many layers a request needs.
size_t layers_needed(const RunRequest& request, const Network& network) {
  if (request.taps != nullptr || request.head) return network.layers.size();
  if (picking_of(request, network) != Picking::none) return network.layers.size();
  return request.hidden_states.empty() ? 0 : std::ranges::max(request.hidden_states);
}

LastLayer last_layer_of(const RunRequest& request, Picking picking, size_t layers) {
  const bool state_is_wanted = std::ranges::count(request.hidden_states, layers) > 0;
  const bool head_reads_all = request.head && model::reads_every_token(*request.head);
  const bool watched = request.taps != nullptr;
  const bool narrow = !watched && layers > 0 && picking != Picking::none && !state_is_wanted && !head_reads_all;
  return narrow ? LastLayer::picked_rows : LastLayer::all_rows;
}

std::vector<size_t> kept_states(const RunRequest& request, size_t layers) {
  std::vector<size_t> kept;
  for (const size_t state : request.hidden_states) {
    if (state != layers && std::ranges::count(kept, state) == 0) kept.push_back(state);
  }
  return kept;
}

Pass planned(const Network& network, const model::Batch& batch, const RunRequest& request, const Schedule& schedule,
             int threads) {
  Pass pass{.network = &network, .batch = &batch, .request = &request, .schedule = &schedule};
  pass.layers = layers_needed(request, network);
  pass.kept = kept_states(request, pass.layers);
  pass.picking = {picking_of(request, network), &batch, &schedule, &request};
  pass.last_layer = last_layer_of(request, pass.picking.picking, pass.layers);
  switch (schedule.sharing) {
    case Sharing::one_thread_each:
      pass.panel_rows = kPanelRows;
      pass.stage_rows = request.taps == nullptr ? kPanelRows : schedule.largest_group;
      break;
    case Sharing::all_threads_share:
      pass.panel_rows = kSharedPanelRows;
      pass.stage_rows = schedule.largest_group;
      // In fp32, which has fewer steps to wait for, blocks of columns share the time out more evenly.
      if (network.arithmetic.precision != Precision::fp32) pass.row_sharers = static_cast<size_t>(threads);
      break;
  }
  return pass;
}

/// Which participant's doings were counted.
struct Tally {
  std::vector<PassCount> counts;  // [participants]
  int threads = 0;

  [[nodiscard]] PassCount total() const {
    PassCount sum;
    for (const PassCount& count : counts) sum += count;
    return sum;
  }
  void add(int participant, const PassCount& count) { counts[static_cast<size_t>(participant)] += count; }
};

void run_groups_here(const Pass& pass, const WorkspaceLoan& workspaces, Tally& tally) {
  const KernelScope work(*pass.network->arithmetic.set);
  Worker alone;
  for (const Group& group : pass.schedule->groups) {
    tally.add(0, GroupPass(pass, group, workspaces.group(0), workspaces.thread(0)).run(alone));
  }
  tally.threads = 1;
}

void run_groups_apart(const Pass& pass, const WorkspaceLoan& workspaces, Tally& tally) {
  const auto& groups = pass.schedule->groups;
  const auto compute = [&](size_t index, int participant) {
    const auto own = static_cast<size_t>(participant);
    const KernelScope work(*pass.network->arithmetic.set);
    Worker alone;
    tally.add(participant, GroupPass(pass, groups[index], workspaces.group(own), workspaces.thread(own)).run(alone));
  };
  tally.threads = ThreadPool::shared().run(groups.size(), static_cast<int>(tally.counts.size()), compute);
}

void run_groups_together(const Pass& pass, const WorkspaceLoan& workspaces, Tally& tally) {
  const auto& groups = pass.schedule->groups;
  SharedSteps shared;
  std::vector<size_t> tasks_run(tally.counts.size());
  const auto take_part = [&](size_t, int participant) {
    const auto own = static_cast<size_t>(participant);
    const KernelScope work(*pass.network->arithmetic.set);
    Worker worker(shared);
    for (const Group& group : groups) {
      tally.add(participant, GroupPass(pass, group, workspaces.group(0), workspaces.thread(own)).run(worker));
    }
    tasks_run[own] += worker.tasks_run();  // who comes alone takes every part, one after the other
  };
  ThreadPool::shared().run(tally.counts.size(), static_cast<int>(tally.counts.size()), take_part);
  shared.rethrow();
  tally.threads = static_cast<int>(std::ranges::count_if(tasks_run, [](size_t tasks) { return tasks > 0; }));
}

}  // namespace

struct Engine::State {
  int threads;
  Network network;
  WorkspaceStore workspaces;

  State(const model::Config& config, const model::Weights& weights, EngineOptions options)
      : threads(threads_of(options)),
        network(config, weights,
                {.arithmetic = Arithmetic(options.precision, chosen_kernel_set()),
                 .threads = threads,
                 .largest_table_in_memory = options.largest_table_in_memory,
                 .packed = options.packed}),
        workspaces(static_cast<size_t>(threads)) {}

  [[nodiscard]] WorkspaceSize size_for(const Pass& pass) const {
    const size_t picked = most_picked(pass.picking);
    const auto& head = pass.request->head;
    size_t head_rows = pass.schedule->most_texts;
    if (head == model::Head::masked_language) head_rows = picked;
    if (head && model::reads_every_token(*head)) head_rows = pass.schedule->largest_group;
    return {.tokens = pass.schedule->largest_group,
            .texts = pass.schedule->most_texts,
            .stage_rows = std::min(pass.stage_rows, pass.schedule->largest_group),
            .hidden = network.hidden,
            .intermediate = network.intermediate,
            .kept_states = pass.kept.size(),
            .picked = picked,
            .queries = pass.last_layer == LastLayer::picked_rows ? picked : 0,
            .head_rows = head ? head_rows : 0,
            .head_columns = head ? network.output_heads.columns(*head) : 0};
  }

  [[nodiscard]] Tally compute(const Pass& pass) {
    const Schedule& plan = *pass.schedule;
    const bool share = plan.sharing == Sharing::all_threads_share;
    const bool watched = pass.request->taps != nullptr;
    const auto most = static_cast<size_t>(watched ? 1 : threads);
    const size_t participants = share ? most : std::min(most, plan.groups.size());
    const size_t groups = share ? 1 : participants;
    const WorkspaceLoan loan(workspaces, groups, participants);
    for (size_t i = 0; i < groups; ++i) loan.group(i).fit(network.arithmetic, size_for(pass));
    for (size_t i = 0; i < participants; ++i) {
      loan.thread(i).fit(network.arithmetic, plan.longest_text, network.head_size, pass.panel_rows);
      loan.thread(i).views.reserve(pass.request->hidden_states.size());
    }
    Tally tally;
    tally.counts.resize(participants);
    if (watched) {
      run_groups_here(pass, loan, tally);
    } else if (share) {
      run_groups_together(pass, loan, tally);
    } else {
      run_groups_apart(pass, loan, tally);
    }
    return tally;
  }
};

Engine::Engine(const model::Config& config, const model::Weights& weights, EngineOptions options)
    : state_(std::make_unique<State>(config, weights, options)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

RunReport Engine::run(const model::Batch& batch, const RunRequest& request) const {
  const Network& network = state_->network;
  model::check(batch, network.config);
  check(request, batch, network);
  if (request.head) prepare(*request.head);
  RunReport report{.texts = batch.texts(),
                   .tokens = batch.tokens(),
                   .kernel_set = network.arithmetic.set,
                   .precision = network.arithmetic.precision};
  const Schedule plan = request.taps == nullptr ? schedule(batch, state_->threads) : one_text_at_a_time(batch);
  if (plan.groups.empty()) return report;
  const Pass pass = planned(network, batch, request, plan, state_->threads);
  const Tally tally = state_->compute(pass);
  const size_t passes = std::max<size_t>(1, pass.layers);
  report.groups = plan.groups.size();
  const PassCount total = tally.total();
  report.panels = total.panels / passes;
  report.rows_computed = total.rows / passes;
  report.last_rows = total.last_rows;
  report.head_rows = total.head_rows;
  report.threads = tally.threads;
  return report;
}

void Engine::prepare(model::Head head) const {
  check_head(state_->network, head);
  state_->network.output_heads.prepare(head, state_->threads);
}

void Engine::release_workspaces() const {
  state_->workspaces.release();
}

bool Engine::has_pooler() const {
  return state_->network.pooler.has_value();
}
bool Engine::has_head(model::Head head) const {
  return state_->network.output_heads.has(head);
}
const model::Config& Engine::config() const {
  return state_->network.config;
}
size_t Engine::logit_columns(model::Head head) const {
  check_head(state_->network, head);
  return state_->network.output_heads.columns(head);
}
int Engine::threads() const {
  return state_->threads;
}
const KernelSet& Engine::kernel_set() const {
  return *state_->network.arithmetic.set;
}

Precision Engine::precision() const {
  return state_->network.arithmetic.precision;
}

const PackedPieces& Engine::packed() const {
  return state_->network.packed->pieces();
}

Precision Engine::attention_precision() const {
  return state_->network.arithmetic.attention;
}

std::vector<Matrix<float>> hidden_states(const Engine& engine, const model::Batch& batch,
                                         std::span<const size_t> layers) {
  const auto hidden = static_cast<size_t>(engine.config().hidden_size);
  std::vector<Matrix<float>> states(layers.size(), Matrix<float>(batch.tokens(), hidden));
  RunRequest request{.hidden_states = {layers.begin(), layers.end()}};
  request.on_text = [&](size_t text, const TextResult& result) {
    const auto rows = result.hidden_states;
    for (size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(rows[i].data(), rows[i].rows() * hidden, states[i].view().row(batch.offsets[text]).data());
    }
  };
  engine.run(batch, request);
  return states;
}

namespace {

/// A row of each text's result, [texts, hidden].
Matrix<float> rows_of_texts(const Engine& engine, const model::Batch& batch, std::span<const float> TextResult::*row,
                            model::Taps<float>* taps) {
  if (!engine.has_pooler())
    throw UsageError("engine", "pooled output: expected a model with a pooler, got one without");
  Matrix<float> rows(batch.texts(), static_cast<size_t>(engine.config().hidden_size));
  RunRequest request{.pooled = Pooled::compute, .taps = taps};
  request.on_text = [&](size_t text, const TextResult& result) {
    std::ranges::copy(result.*row, rows.row(text).begin());
  };
  engine.run(batch, request);
  return rows;
}

}  // namespace

Matrix<float> pooled_output(const Engine& engine, const model::Batch& batch) {
  return rows_of_texts(engine, batch, &TextResult::pooled, nullptr);
}

Matrix<float> first_states(const Engine& engine, const model::Batch& batch, model::Taps<float>* taps) {
  return rows_of_texts(engine, batch, &TextResult::first, taps);
}

namespace {

/// Where the logits of a text begin in head_logits().
size_t first_logit_row(const model::Batch& batch, model::Head head, std::span<const size_t> masked, size_t text) {
  switch (head) {
    case model::Head::masked_language:
      return static_cast<size_t>(std::ranges::lower_bound(masked, batch.offsets[text]) - masked.begin());
    case model::Head::next_sentence:
    case model::Head::sequence_classification:
      return text;
    case model::Head::token_classification:
    case model::Head::question_answering:
      return batch.offsets[text];
  }
  __builtin_unreachable();
}

}  // namespace

Matrix<float> head_logits(const Engine& engine, const model::Batch& batch, model::Head head,
                          std::span<const size_t> masked, model::Taps<float>* taps) {
  size_t rows = masked.size();
  if (model::reads_every_token(head)) rows = batch.tokens();
  if (model::reads_pooled_output(head)) rows = batch.texts();
  Matrix<float> logits(rows, engine.logit_columns(head));
  RunRequest request{.head = head, .masked = {masked.begin(), masked.end()}, .taps = taps};
  request.on_text = [&](size_t text, const TextResult& result) {
    const size_t first = first_logit_row(batch, head, masked, text);
    for (size_t row = 0; row < result.logits.rows(); ++row) {
      std::ranges::copy(result.logits.row(row), logits.row(first + row).begin());
    }
  };
  engine.run(batch, request);
  return logits;
}

std::string matmul_backend() {
  return fmt::format("own kernels ({}); oneDNN is not used", chosen_kernel_set().name);
}

}  // namespace summand::engine
