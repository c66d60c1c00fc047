#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "api/model/loaded_model.hpp"
#include "serve/work/jobs.hpp"
#include "serve/work/result_store.hpp"

namespace summand::serve {

/// What a model is served for, without being told.
enum class Task { embed, predict, rerank, fill_mask, tag };

/// A model under the name that clients know it by, with what its requests have in common.
///
/// Thread-safety: members may be called from any thread.
class ServedModel {
 public:
  /// Loads it and measures its speed once.
  /// @param name  what clients ask for
  /// @param directory  as for LoadedModel::load
  /// @throws as LoadedModel::load
  ServedModel(std::string name, const std::string& directory, const api::LoadOptions& options, size_t store_bytes);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const api::LoadedModel& model() const { return model_; }
  /// The heads decide: one label ranks, several classify, labels of tokens tag; without labels sentence vectors come
  /// before masked words.
  [[nodiscard]] Task task() const { return task_; }
  /// Width of its sentence vectors; 0 if it makes none, as a model of labels whose files know of none.
  [[nodiscard]] size_t width() const { return width_; }
  /// Before its files truncate them, which a request may undo.
  [[nodiscard]] size_t whole_width() const { return whole_width_; }

  [[nodiscard]] Computation& vectors() { return vectors_; }
  [[nodiscard]] Computation& labels() { return labels_; }
  [[nodiscard]] Computation& calls() { return calls_; }
  [[nodiscard]] ResultStore& store() { return store_; }

 private:
  void measure(const api::Embedder* embedder);

  std::string name_;
  api::LoadedModel model_;
  Task task_;
  size_t width_ = 0;
  size_t whole_width_ = 0;
  ResultStore store_;
  VectorsComputation vectors_;
  LabelsComputation labels_;
  CallsComputation calls_;
};

/// The models of a server, by name.
class ServedModels {
 public:
  void add(std::unique_ptr<ServedModel> model) { models_.push_back(std::move(model)); }
  [[nodiscard]] const std::vector<std::unique_ptr<ServedModel>>& all() const { return models_; }
  /// @param name  empty: the first
  /// @return the model of this name; the only one whatever the name; null if there are several and none has it
  [[nodiscard]] ServedModel* find(const std::string& name) const;
  /// All of them, for people: "one, another".
  [[nodiscard]] std::string names() const;

 private:
  std::vector<std::unique_ptr<ServedModel>> models_;
};

}  // namespace summand::serve
