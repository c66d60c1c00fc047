#pragma once

#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/first_token/flow_shares.hpp"
#include "lab/experiments/first_token/word_influence.hpp"

namespace summand::lab {

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
};

/// Every number of claim Q4, with its null and control.
[[nodiscard]] Numbers first_token_numbers(const FirstTokenData& data, const Conditions& conditions);

}  // namespace summand::lab
