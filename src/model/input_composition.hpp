#pragma once

#include <span>
#include <utility>

#include "model/enum_names.hpp"

namespace summand::model {

/// How the token, position and segment rows become one input vector, before normalisation.
enum class InputComposition {
  sum,                  ///< t + p + s: BERT
  scaled_sum,           ///< αt·t + αp·p + αs·s, three learned scalars
  weighted_sum,         ///< wt⊙t + wp⊙p + ws⊙s, three learned vectors
  scalar_gate,          ///< gt·t + gp·p + gs·s, each g = σ(u·[t;p;s] + b), a number
  vector_gate,          ///< gt⊙t + gp⊙p + gs⊙s, each g = σ(U[t;p;s] + b), a vector
  concatenate_project,  ///< A[t;p;s]
  multiplicative,       ///< t⊙(1 + p + s)
};

[[nodiscard]] std::span<const EnumName<InputComposition>> enum_names(InputComposition);

/// The three rows that are composed.
template <class Value>
struct InputParts {
  Value token;
  Value position;
  Value segment;
};

/// The one definition of every composition, over the operations of `Ops`:
///
///     using Value                        a row (or a batch of rows) of some width
///     Value plus(Value, Value)           elementwise
///     Value times(Value, Value)          elementwise; a factor of width 1 multiplies the whole row
///     Value side_by_side(Value, Value)   concatenation
///     Value linear(Value, name)          W·x + b: <name>.weight [out, in] and, where there is one, <name>.bias
///     Value scale(Value, name)           elementwise product with the parameter <name> of width 1 or hidden
///     Value logistic(Value)              elementwise 1/(1 + e^-x)
///
/// Parameter names are those of parameters(), below "embeddings.composition.".
/// The sum is taken as (token + segment) + position: the order of Hugging Face's BertEmbeddings.forward, which matters
/// in the last bit.
template <class Ops, class Value = typename Ops::Value>
[[nodiscard]] Value compose(InputComposition composition, Ops& ops, const InputParts<Value>& parts) {
  const auto sum_of = [&](Value token, Value position, Value segment) {
    return ops.plus(ops.plus(std::move(token), std::move(segment)), std::move(position));
  };
  const auto all = [&] { return ops.side_by_side(ops.side_by_side(parts.token, parts.position), parts.segment); };
  const auto gated = [&](const Value& part, const char* gate) {
    return ops.times(part, ops.logistic(ops.linear(all(), gate)));
  };
  switch (composition) {
    case InputComposition::sum:
      return sum_of(parts.token, parts.position, parts.segment);
    case InputComposition::scaled_sum:
    case InputComposition::weighted_sum:
      return sum_of(ops.scale(parts.token, "token_scale"), ops.scale(parts.position, "position_scale"),
                    ops.scale(parts.segment, "segment_scale"));
    case InputComposition::scalar_gate:
    case InputComposition::vector_gate:
      return sum_of(gated(parts.token, "token_gate"), gated(parts.position, "position_gate"),
                    gated(parts.segment, "segment_gate"));
    case InputComposition::concatenate_project:
      return ops.linear(all(), "projection");
    case InputComposition::multiplicative:
      return ops.plus(parts.token, ops.times(parts.token, ops.plus(parts.position, parts.segment)));
  }
  __builtin_unreachable();
}

}  // namespace summand::model
