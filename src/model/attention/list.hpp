#pragma once

#include <variant>

#include "model/attention/biases.hpp"
#include "model/attention/disentangled.hpp"
#include "model/attention/relative_keys.hpp"
#include "model/attention/rotary.hpp"
#include "model/attention/transformer_xl.hpp"
#include "model/attention/untied.hpp"

namespace summand::model {

/// Attention is told nothing.
struct NotInAttention {
  static constexpr std::string_view kName = "none";

  bool operator==(const NotInAttention&) const = default;
};

/// How attention itself is told positions, or segments: every way there is. Names, the fields of config.json, the
/// parameter contract and the dispatch follow from this list.
using AttentionKind =
    std::variant<NotInAttention, ShawKeys, RelativeKey, RelativeKeyQuery, TransformerXl, T5Bias, Alibi, Rotary,
                 TupeAbsolute, TupeRelative, DietAbsolute, DietRelative, PairBias, Deberta, Rows>;

}  // namespace summand::model
