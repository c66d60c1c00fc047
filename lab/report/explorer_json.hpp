#pragma once

#include <nlohmann/json.hpp>

#include "lab/explorer/exploration.hpp"

namespace summand::lab {

/// How much of the attention at other strengths than the unchanged one the page has room for.
enum class AttentionDetail {
  every_head,   ///< of every layer
  first_layer,  ///< the first layer's heads, and the mean over heads of every other layer
  means,        ///< the mean over heads of every layer
};

/// What the page's explorer reads; null where nothing was explored.
///
/// Attention lies in the page as its square root, one byte a weight, so that small weights keep two digits: codes for
/// each strength, of matrices [tokens, tokens] in the order of layers and heads that AttentionDetail names, every head
/// at the unchanged strength. The logits' terms are sixteen matrices a head, the query's token part with every part of
/// the key first, then their sum. Of a token's decoding there is the nearest other combination and its margin: above 0,
/// the true one is nearer. Of a model that is no BERT there are no terms and no decoding; where no position row enters
/// by itself there is one strength, and pairs are null.
[[nodiscard]] nlohmann::json explorer_json(const Exploration& exploration);

}  // namespace summand::lab
