#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "lab/core/localized_text.hpp"
#include "text/encoding.hpp"

namespace summand::lab {

/// The texts that corpus-weighted numbers and interventions use.
struct Corpus {
  LocalizedText name;                     ///< which it is, what was left of it, and its shares as CorpusCounts has them
  LocalizedText warning;                  ///< where the vocabulary does not cover it; empty where it does
  std::string option;                     ///< what --corpus takes for it: a file as given, or a built-in corpus' name
  bool is_default = false;                ///< whether it is the one that this checkpoint gets without --corpus
  uint64_t hash = 0;                      ///< of its texts
  std::vector<text::Encoding> sentences;  ///< cut at the model's positions, special tokens included
};

/// What is said of a corpus.
struct CorpusCounts {
  static constexpr size_t kLate = 256;  ///< the first position that counts as late: half of BERT's table

  size_t tokens = 0;     ///< special ones included
  size_t unknown = 0;    ///< [UNK]
  size_t continued = 0;  ///< pieces that continue a word
  size_t late = 0;       ///< tokens at positions from kLate on

  [[nodiscard]] double unknown_share() const { return share_of(unknown); }
  [[nodiscard]] double late_share() const { return share_of(late); }
  /// Of tokens that are no words of the vocabulary: [UNK] and pieces that continue a word.
  [[nodiscard]] double foreign_share() const { return share_of(unknown + continued); }

 private:
  [[nodiscard]] double share_of(size_t count) const {
    return tokens == 0 ? 0 : static_cast<double>(count) / static_cast<double>(tokens);
  }
};

/// @param unknown  the tokenizer's [UNK]; none: it has none
[[nodiscard]] CorpusCounts counts_of(const std::vector<text::Encoding>& sentences, std::optional<int32_t> unknown);

/// @param asked  "english" or "chinese", a built-in corpus; or a file of texts, compressed or not, read at most 2,000
///   texts far. Absent: the built-in corpus with the smaller share of [UNK] and of pieces that continue a word. [UNK]
///   alone would not do: a Chinese vocabulary spells English words letter by letter. Where both shares are equal,
///   english.
/// @throws Error of whatever cannot be read
[[nodiscard]] Corpus read_corpus(const api::LoadedModel& model, const std::optional<std::filesystem::path>& asked);

}  // namespace summand::lab
