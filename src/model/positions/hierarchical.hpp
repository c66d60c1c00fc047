#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/contract.hpp"
#include "model/positions/learned.hpp"
#include "model/positions/ops.hpp"

namespace summand::model {

/// A row for the sentence that a token is of plus one for its place in that sentence. A token that ends a sentence is
/// its last; what comes after the last sentence that has a row is of that sentence.
/// Source: Zhang et al. 2019 (HIBERT), section 3.1, where each of the two has positions of its own
struct HierarchicalPositions {
  static constexpr std::string_view kName = "hierarchical";
  static constexpr const char* kSentenceRows = "sentence_position_embeddings.weight";

  int64_t sentences = 16;     ///< that have a row of their own, 1 or more
  std::vector<int64_t> ends;  ///< ids of the tokens that end a sentence

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    visit("sentences", self.sentences);
    visit("ends", self.ends);
  }
  [[nodiscard]] std::string fault(TableSize size) const {
    if (sentences >= 1 && sentences <= static_cast<int64_t>(size.rows)) return "";
    return fmt::format("sentences: expected 1 to max_position_embeddings ({}), got {}", size.rows, sentences);
  }
  [[nodiscard]] static HierarchicalPositions typical(TableSize) { return {.sentences = 3, .ends = {2, 5, 11}}; }
  /// Rows of table(): each place of each sentence.
  [[nodiscard]] size_t table_rows(TableSize size) const { return static_cast<size_t>(sentences) * size.rows; }

  void add_parameters(Contract& contract, TableSize size) const {
    contract.matrix(kSentenceRows, static_cast<size_t>(sentences), size.columns);
    contract.matrix(kPositionRows, size.rows, size.columns);
  }
  /// @return [sentences · size.rows, size.columns]: row z · size.rows + w is place w of sentence z
  template <TableOps Ops>
  [[nodiscard]] typename Ops::Value table(Ops& ops, TableSize size) const {
    std::vector<size_t> of_sentence;
    std::vector<size_t> of_place;
    for (size_t row = 0; row < table_rows(size); ++row) {
      of_sentence.push_back(row / size.rows);
      of_place.push_back(row % size.rows);
    }
    return ops.plus(ops.rows(ops.parameter(kSentenceRows), of_sentence),
                    ops.rows(ops.parameter(kPositionRows), of_place));
  }
  /// Rows of table() of a text's tokens. @param rows  size.rows
  [[nodiscard]] std::vector<int32_t> rows_of(std::span<const int32_t> ids, size_t rows) const {
    std::vector<int32_t> indices;
    int64_t sentence = 0;
    int64_t place = 0;
    for (const int32_t id : ids) {
      indices.push_back(static_cast<int32_t>(std::min(sentence, sentences - 1) * static_cast<int64_t>(rows) + place));
      ++place;
      if (std::ranges::find(ends, int64_t{id}) == ends.end()) continue;
      ++sentence;
      place = 0;
    }
    return indices;
  }
  bool operator==(const HierarchicalPositions&) const = default;
};

}  // namespace summand::model
