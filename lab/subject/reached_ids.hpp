#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "text/tokenizer.hpp"

namespace summand::lab {

/// Ids that a text may get, ascending: for each of them the tokenizer itself was asked, and gave a text that has it.
///
/// A word's first piece stands in the text that it spells, if in any: what normalising, or splitting at white space,
/// punctuation and ideographs, makes of that text, it would make of every longer one. `[unused0]`, `...`, letters that
/// lower-casing or accent stripping takes away and words above the longest are not reached so. A piece that continues
/// a word (`##s`) is tried behind every single character of the vocabulary that can begin a longer word; `##.` and
/// `##中` stand behind none, for these are words of their own. A piece that only some longer beginning leaves over, the
/// longest match first, would be missed: of BERT's uncased, cased and Chinese vocabularies none is.
///
/// Special tokens count where a text gets them: [CLS] and [SEP] around it, [UNK], and [MASK], which the program puts
/// in. A text may also write any of them, and [PAD] is reached by that alone: written, it is a token as others are,
/// and is attended to; what pads a batch never is.
/// Source: Devlin et al. 2019; the tokenizer, text::TextEncoder
/// @param rows  of the token table: ids from there on are left out
[[nodiscard]] std::vector<Eigen::Index> reached_ids(const text::Tokenizer& tokenizer, Eigen::Index rows);

/// The token that masks, where the token table has a row for it.
[[nodiscard]] std::optional<int32_t> mask_id(const text::Tokenizer& tokenizer, Eigen::Index rows);

/// How many segments a text or a pair of texts may get: ids from 0 up to the largest that the tokenizer's templates
/// give. BERT's tokenizers give two, whatever a checkpoint's table has (google-research/bert: 16 by default).
/// @param rows  of the segment table: not more than these
[[nodiscard]] Eigen::Index reached_segments(const text::Tokenizer& tokenizer, Eigen::Index rows);

}  // namespace summand::lab
