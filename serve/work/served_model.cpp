#include "serve/work/served_model.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.hpp"

namespace summand::serve {

namespace {

Task task_of(const api::LoadedModel& model) {
  const auto& parts = model.checkpoint().parts;
  if (parts.has(model::Head::token_classification)) return Task::tag;
  if (parts.has(model::Head::sequence_classification)) {
    return model.config().labels.size() == 1 ? Task::rerank : Task::predict;
  }
  const bool sentences = model.checkpoint().sentence.from_directory;
  return !sentences && parts.has(model::Head::masked_language) ? Task::fill_mask : Task::embed;
}

/// Null if the model's outputs cannot be pooled.
std::unique_ptr<const api::Embedder> embedder_of(const api::LoadedModel& model) {
  try {
    return std::make_unique<const api::Embedder>(model, api::EmbedOptions());
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

ServedModel::ServedModel(std::string name, const std::string& directory, const api::LoadOptions& options,
                         size_t store_bytes)
    : name_(std::move(name)),
      model_(api::LoadedModel::load(directory, options)),
      task_(task_of(model_)),
      store_(store_bytes),
      vectors_(store_),
      labels_(model_, store_) {
  const auto embedder = embedder_of(model_);
  // Of a model of labels the hidden states are no sentence vectors, unless its files say so.
  const bool has_labels = task_ == Task::predict || task_ == Task::rerank || task_ == Task::tag;
  if (embedder && (!has_labels || model_.checkpoint().sentence.from_directory)) {
    width_ = embedder->width();
    whole_width_ = embedder->pooled_width();
  }
  measure(embedder.get());
}

/// The rate before the first request: of some texts as long as those of many corpora.
void ServedModel::measure(const api::Embedder* embedder) {
  constexpr size_t kLength = 32;
  constexpr size_t kSequences = 16;
  constexpr std::chrono::milliseconds kAtLeast{50};
  const size_t length = std::min(kLength, model_.position_limit());
  const api::Sequence sequence{.ids = std::vector<int32_t>(length, 0), .segments = std::vector<int32_t>(length, 0)};
  const bool has_labels = model_.checkpoint().parts.has(model::Head::sequence_classification);
  if (!has_labels && !embedder) return;
  const std::vector<api::SequenceForVector> for_vectors(kSequences, {.sequence = &sequence, .embedder = embedder});
  const std::vector<const api::Sequence*> for_labels(kSequences, &sequence);
  const auto run = [&] {
    if (embedder) {
      static_cast<void>(api::vectors_of_sequences(for_vectors));
    } else {
      static_cast<void>(api::label_rows_of_sequences(model_, for_labels));
    }
  };
  run();  // the first allocates
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  size_t tokens = 0;
  while (Clock::now() - start < kAtLeast) {
    run();
    tokens += kSequences * length;
  }
  const std::chrono::duration<double> took = Clock::now() - start;
  for (Computation* const one : {static_cast<Computation*>(&vectors_), static_cast<Computation*>(&labels_),
                                 static_cast<Computation*>(&calls_)}) {
    one->measured(tokens, took.count());
  }
}

ServedModel* ServedModels::find(const std::string& name) const {
  if (models_.size() == 1 || (name.empty() && !models_.empty())) return models_.front().get();
  const auto found =
      std::ranges::find(models_, name, [](const auto& one) -> const std::string& { return one->name(); });
  return found == models_.end() ? nullptr : found->get();
}

std::string ServedModels::names() const {
  std::string all;
  for (const auto& one : models_) all += (all.empty() ? "" : ", ") + one->name();
  return all;
}

}  // namespace summand::serve
