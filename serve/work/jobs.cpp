#include "serve/work/jobs.hpp"

#include <algorithm>

namespace summand::serve {

namespace {

std::vector<size_t> lengths(const std::vector<api::Sequence>& sequences) {
  std::vector<size_t> tokens;
  tokens.reserve(sequences.size());
  for (const auto& sequence : sequences) tokens.push_back(sequence.ids.size());
  return tokens;
}

}  // namespace

RowsJob::RowsJob(Computation& computation, std::vector<api::Sequence> sequences, int32_t settings, OnEnd on_end)
    : Job(computation, lengths(sequences), std::move(on_end)),
      sequences_(std::move(sequences)),
      settings_(settings),
      rows_(sequences_.size()) {}

void VectorsComputation::run(std::span<const Piece> pieces) {
  std::vector<api::SequenceForVector> sequences;
  sequences.reserve(pieces.size());
  for (const auto& piece : pieces) {
    const auto& job = static_cast<const VectorsJob&>(*piece.job);
    sequences.push_back({.sequence = &job.sequence(piece.index), .embedder = &job.embedder()});
  }
  auto vectors = api::vectors_of_sequences(sequences);
  for (size_t i = 0; i < pieces.size(); ++i) {
    auto& job = static_cast<VectorsJob&>(*pieces[i].job);
    store_.keep(job.settings(), job.sequence(pieces[i].index), vectors[i]);
    job.row(pieces[i].index) = std::move(vectors[i]);
  }
}

void LabelsComputation::run(std::span<const Piece> pieces) {
  std::vector<const api::Sequence*> sequences;
  sequences.reserve(pieces.size());
  for (const auto& piece : pieces) {
    sequences.push_back(&static_cast<const RowsJob&>(*piece.job).sequence(piece.index));
  }
  const auto rows = api::label_rows_of_sequences(model_, sequences);
  for (size_t i = 0; i < pieces.size(); ++i) {
    auto& job = static_cast<RowsJob&>(*pieces[i].job);
    store_.keep(job.settings(), job.sequence(pieces[i].index), rows.row(i));
    job.row(pieces[i].index).assign(rows.row(i).begin(), rows.row(i).end());
  }
}

void CallsComputation::run(std::span<const Piece> pieces) {
  for (const auto& piece : pieces) static_cast<const CallsJob&>(*piece.job).run(piece.index);
}

}  // namespace summand::serve
