#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/inspection/parts.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/table.hpp"
#include "summand/heads.hpp"
#include "summand/range.hpp"

namespace summand::serve::live {

/// Goes up when a field of the answer changes its meaning.
inline constexpr int kLookVersion = 1;
/// Of a text or pair; longer ones are cut. The model may take fewer.
inline constexpr size_t kMostTokens = 64;
/// Sentences that neighbours are sought among, and bytes of each.
inline constexpr size_t kMostSentences = 64;
inline constexpr size_t kLongestText = 4000;
/// Factors of the parts, and the noise, go from 0 to this.
inline constexpr double kMostStrength = 4;

/// Factors of the token, position and segment row, each less its table's mean row. The three mean rows stay as they
/// are, so that 0 takes away which token (position, segment) it is and nothing else.
struct Strengths {
  double token = 1, position = 1, segment = 1;
};

/// Which of the first layer's heads' scores are split; the mean is over all heads.
enum class ScoresOf { none, head, mean };

/// One state of the page.
struct LookRequest {
  std::string text;
  std::optional<std::string> text_pair = {};
  Strengths strengths = {};
  std::vector<int32_t> order = {};  ///< [tokens], which position each token takes; empty: 0, 1, 2, …
  /// Length of the random vector that is added to each sum, relative to the sum's, on average over its directions.
  double noise = 0;
  uint64_t seed = 0;                 ///< of the noise: the directions depend on it and on the token's index alone
  std::optional<size_t> layer = {};  ///< whose attention is wanted, from 0; none: every layer's
  std::optional<size_t> head = {};   ///< likewise
  ScoresOf scores = ScoresOf::none;
  size_t scores_head = 0;                                  ///< from 0, with ScoresOf::head
  std::optional<std::vector<std::string>> sentences = {};  ///< to seek neighbours among; none: built_in_sentences()
};

/// The input of a token, before normalisation, as a sum of parts.
struct SumInParts {
  double norm = 0;                                             ///< of the sum with its noise
  double token_norm = 0, position_norm = 0, segment_norm = 0;  ///< of the centred parts, as strong as they enter
  double noise_norm = 0;
  api::PartShares share;   ///< of the variance over coordinates of the sum with its noise, as in api::parts_of
  double noise_share = 0;  ///< with those it adds up to 1
};

struct LookToken {
  int32_t id = 0;
  std::string token;     ///< as in the vocabulary
  int32_t position = 0;  ///< that it takes
  int32_t segment = 0;
  bool special = false;  ///< put around the text
  bool second = false;   ///< of a pair's second text
  Range bytes;           ///< in its text
  SumInParts parts;
  /// Of a model that adds three tables: which combination is nearest to the sum but the true one, and how much farther,
  /// among all tokens and segments and as many positions as a text can have here.
  std::optional<lab::Decoded> read_back = {};
  std::string other_token = {};  ///< of read_back
};

/// One [MASK], and what the model fills it with.
struct LookMask {
  size_t token = 0;                ///< index
  std::vector<Filling> fillings;   ///< best first
  std::vector<Filling> unchanged;  ///< those of the unchanged model
};

/// A sentence, and how near it is: cosines of the sentence vectors.
struct LookNeighbour {
  size_t sentence = 0;   ///< index in the list
  double cosine = 0;     ///< with the changed model's vector
  double unchanged = 0;  ///< with the unchanged model's
};

/// What one state of the page shows.
struct Look {
  size_t cut = 0;        ///< tokens that were cut off
  bool changed = false;  ///< whether anything is changed at all
  std::vector<LookToken> tokens = {};
  size_t layers = 0, heads = 0;            ///< of `attention`
  std::vector<lab::Table> attention = {};  ///< [layers · heads] of [tokens, tokens], as asked for; rows are queries
  std::optional<lab::LogitTerms> scores = {};  ///< of the first layer; noise is in the common part
  std::vector<LookMask> masks = {};
  std::vector<float> vector = {};              ///< the sentence vector; empty if the model makes none
  double cosine = 1;                           ///< of it with the unchanged model's
  std::vector<std::string> sentences = {};     ///< that neighbours are of
  std::vector<LookNeighbour> neighbours = {};  ///< nearest first
};

}  // namespace summand::serve::live
