#pragma once

#include <vector>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// What a run leaves.
struct Results {
  std::vector<Table> states;  ///< layers + 1 of [tokens, hidden]; the first is the normalised sum
  Table vectors;              ///< [texts, hidden], sentence vectors, not normalised
};

/// Which of the last hidden states a sentence vector is made of.
enum class SentenceVector { mean, cls };

/// The first token's where the checkpoint pools so, else the mean over tokens; its dense layers are left out.
/// @pre there is a model
[[nodiscard]] SentenceVector sentence_vector_of(const Subject& subject);
/// "mean of the last hidden states".
[[nodiscard]] LocalizedText words_of(SentenceVector vector);
/// @param states  [tokens, hidden]
/// @return [texts, hidden]
[[nodiscard]] Table sentence_vectors(const Table& states, const model::Batch& batch, SentenceVector vector);

[[nodiscard]] Results run_texts(const engine::Engine& engine, const model::Batch& batch, SentenceVector vector);

/// Cosine of row i of one with row i of the other; 0 where a row is 0. @pre the same shape
[[nodiscard]] Vector cosines_by_row(const Table& a, const Table& b);
/// linear_cka() of every hidden state; 1 where both states have equal rows only, 0 where one has.
[[nodiscard]] std::vector<double> cka_by_layer(const Results& a, const Results& b);

}  // namespace summand::lab
