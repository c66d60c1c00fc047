#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "api/sequences/sequence_results.hpp"
#include "serve/work/job.hpp"
#include "serve/work/result_store.hpp"

namespace summand::serve {

/// Sequences whose result is a row of numbers: a vector, or the logits of labels.
class RowsJob : public Job {
 public:
  /// @param settings  ResultStore::number_of() of what the rows depend on beside the tokens
  RowsJob(Computation& computation, std::vector<api::Sequence> sequences, int32_t settings, OnEnd on_end);

  [[nodiscard]] const api::Sequence& sequence(size_t piece) const { return sequences_[piece]; }
  [[nodiscard]] int32_t settings() const { return settings_; }
  [[nodiscard]] std::vector<float>& row(size_t piece) { return rows_[piece]; }

 private:
  std::vector<api::Sequence> sequences_;
  int32_t settings_;
  std::vector<std::vector<float>> rows_;
};

/// Sequences that become sentence vectors.
class VectorsJob : public RowsJob {
 public:
  VectorsJob(Computation& computation, std::shared_ptr<const api::Embedder> embedder,
             std::vector<api::Sequence> sequences, int32_t settings, OnEnd on_end)
      : RowsJob(computation, std::move(sequences), settings, std::move(on_end)), embedder_(std::move(embedder)) {}

  [[nodiscard]] const api::Embedder& embedder() const { return *embedder_; }

 private:
  std::shared_ptr<const api::Embedder> embedder_;
};

/// Work of any other kind, piece by piece.
class CallsJob : public Job {
 public:
  using Call = std::function<void(size_t piece)>;

  /// @param call  keeps its result where on_end finds it
  CallsJob(Computation& computation, std::vector<size_t> tokens, Call call, OnEnd on_end)
      : Job(computation, std::move(tokens), std::move(on_end)), call_(std::move(call)) {}

  void run(size_t piece) const { call_(piece); }

 private:
  Call call_;
};

/// Computes batches of VectorsJob.
class VectorsComputation : public Computation {
 public:
  explicit VectorsComputation(ResultStore& store) : store_(store) {}
  void run(std::span<const Piece> pieces) override;

 private:
  ResultStore& store_;
};

/// Computes batches of RowsJob as logits of labels.
class LabelsComputation : public Computation {
 public:
  LabelsComputation(const api::LoadedModel& model, ResultStore& store) : model_(model), store_(store) {}
  void run(std::span<const Piece> pieces) override;

 private:
  const api::LoadedModel& model_;
  ResultStore& store_;
};

/// Computes batches of CallsJob.
class CallsComputation : public Computation {
 public:
  void run(std::span<const Piece> pieces) override;
};

}  // namespace summand::serve
