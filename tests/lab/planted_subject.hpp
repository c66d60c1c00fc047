#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/subject/subject.hpp"
#include "support/tiny_directory.hpp"
#include "tests/lab/planted_outcome.hpp"

/// Checkpoints that tests plant what they look for into, and what an experiment says of them.
namespace planted {

inline constexpr size_t kWords = 26 * 7;  // of the vocabulary, beside the special ones

/// The three tables of a checkpoint, to be changed.
struct ThreeTables {
  summand::lab::Table tokens;     ///< [vocabulary, hidden]
  summand::lab::Table positions;  ///< [positions, hidden]
  summand::lab::Table segments;   ///< [2, hidden]
};

/// A word of two letters. @param number  less than kWords
[[nodiscard]] std::string word(size_t number);

/// Two-letter words in random order, a third of the texts as pairs.
[[nodiscard]] std::string corpus_text();

/// The vocabulary of these words, and the corpus in them.
/// @param unreached  tokens behind the words that no text reaches
void write_texts(const summand::test::TinyDirectory& directory, size_t unreached = 0);

/// A checkpoint of random tables, all of one size, two layers deep, changed by `plant`; a corpus in its words.
/// @param sizes  rows of the position table, and the width of all three
/// @param heads  that it has besides
/// @param unreached  as in write_texts()
[[nodiscard]] summand::lab::Subject checkpoint(summand::lab::Shape sizes,
                                               const std::function<void(ThreeTables&)>& plant,
                                               const std::vector<summand::Head>& heads = {}, size_t unreached = 0);

/// Three tables on coordinates of their own, turned so that no coordinate shows it.
void disguise_a_concatenation(ThreeTables& tables);

/// What an experiment found, its verdicts, and its answer.
struct Ran : Outcome {
  summand::lab::LocalizedText answer;
};

/// Runs it quickly, and checks what holds of every experiment: numbers or a gap for each claim, a reason in both
/// languages, an answer of at most 60 words that begins as one.
Ran run(const summand::lab::Experiment& experiment, const summand::lab::Subject& subject, int threads = 1);

}  // namespace planted
