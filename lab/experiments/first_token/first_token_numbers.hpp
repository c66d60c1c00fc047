#pragma once

#include <cstddef>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/first_token/flow_shares.hpp"
#include "lab/experiments/first_token/word_influence.hpp"

namespace summand::lab {

namespace first_token {

/// Of shares, by one way of counting.
struct ShareNames {
  NumberName fairer;
  NumberName first_gini;
  NumberName word_gini;
  NumberName mean_gini;
  NumberName first_own;
  NumberName word_own;
  NumberName first_words;
  NumberName own_over_word;
};
inline constexpr ShareNames kByNorms{.fairer = {"first_token", "norms_fairer"},
                                     .first_gini = {"first_token", "norms_first_gini"},
                                     .word_gini = {"first_token", "norms_word_gini"},
                                     .mean_gini = {"first_token", "norms_mean_gini"},
                                     .first_own = {"first_token", "norms_first_own"},
                                     .word_own = {"first_token", "norms_word_own"},
                                     .first_words = {"first_token", "norms_first_words"},
                                     .own_over_word = {"first_token", "norms_own_over_word"}};
inline constexpr ShareNames kByRollout{.fairer = {"first_token", "rollout_fairer"},
                                       .first_gini = {"first_token", "rollout_first_gini"},
                                       .word_gini = {"first_token", "rollout_word_gini"},
                                       .mean_gini = {"first_token", "rollout_mean_gini"},
                                       .first_own = {"first_token", "rollout_first_own"},
                                       .word_own = {"first_token", "rollout_word_own"},
                                       .first_words = {"first_token", "rollout_first_words"},
                                       .own_over_word = {"first_token", "rollout_own_over_word"}};

/// Of influence.
struct InfluenceNames {
  NumberName fairer;
  NumberName first_gini;
  NumberName word_gini;
  NumberName mean_gini;
};
inline constexpr InfluenceNames kByInfluence{.fairer = {"first_token", "influence_fairer"},
                                             .first_gini = {"first_token", "influence_first_gini"},
                                             .word_gini = {"first_token", "influence_word_gini"},
                                             .mean_gini = {"first_token", "influence_mean_gini"}};

/// Of what is found, and by which vector.
struct RetrievalNames {
  NumberName first_over_word;
  NumberName mean_over_first;
  NumberName first;
  NumberName word;
  NumberName mean;
  NumberName pooled;
};
inline constexpr RetrievalNames kHalves{.first_over_word = {"first_token", "halves_first_over_word"},
                                        .mean_over_first = {"first_token", "halves_mean_over_first"},
                                        .first = {"first_token", "halves_first"},
                                        .word = {"first_token", "halves_word"},
                                        .mean = {"first_token", "halves_mean"},
                                        .pooled = {"first_token", "halves_pooled"}};
inline constexpr RetrievalNames kCopies{.first_over_word = {"first_token", "copies_first_over_word"},
                                        .mean_over_first = {"first_token", "copies_mean_over_first"},
                                        .first = {"first_token", "copies_first"},
                                        .word = {"first_token", "copies_word"},
                                        .mean = {"first_token", "copies_mean"},
                                        .pooled = {"first_token", "copies_pooled"}};

/// 1, and only of a sentence model whose vector is not made of [CLS]'s: it was not trained for what the claim says.
inline constexpr NumberName kReadElsewhere{"first_token", "read_elsewhere"};

/// Of the texts, for intervals.
inline constexpr size_t kFullResamplings = 1000;
inline constexpr size_t kQuickResamplings = 200;

}  // namespace first_token

/// How many texts' other versions are found, by which vector. All [texts].
struct Retrieval {
  std::vector<double> first;
  std::vector<double> mean;
  std::vector<double> pooled;  ///< empty without a pooler
  std::vector<double> word;    ///< mean over draws
  std::vector<double> second;  ///< mean over draws, drawn otherwise
  std::vector<double> chance;  ///< by the mean vector, texts paired at random
  std::vector<double> itself;  ///< by the mean vector, the same text twice
};
[[nodiscard]] Retrieval retrieval_of(const Readouts& one, const Readouts& other, RandomStream& stream);

/// What was measured of each text.
struct FirstTokenData {
  std::vector<ShareSummary> rollout;
  std::vector<ShareSummary> norms;
  std::vector<ShareSummary> alone;  ///< of planted shares: everybody one word
  std::vector<ShareSummary> even;   ///< of planted shares: all the same
  std::vector<WordInfluence> influence;
  Retrieval halves;
  Retrieval copies;
  bool read_elsewhere = false;  ///< a sentence model, whose vector is not [CLS]'s
};

/// Every number of claim Q4, with its null and control.
[[nodiscard]] Numbers first_token_numbers(const FirstTokenData& data, const Conditions& conditions);

}  // namespace summand::lab
