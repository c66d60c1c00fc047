#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "model/enum_names.hpp"

namespace summand::model {

/// Which maps make queries and keys of hidden states.
enum class QueryKeyMaps {
  own,   ///< one each: BERT
  tied,  ///< the query's makes keys too
  none,  ///< both are the hidden state
};

[[nodiscard]] inline std::span<const EnumName<QueryKeyMaps>> enum_names(QueryKeyMaps) {
  static constexpr std::array names{
      EnumName{QueryKeyMaps::own, "own"},
      EnumName{QueryKeyMaps::tied, "tied"},
      EnumName{QueryKeyMaps::none, "none"},
  };
  return names;
}

/// The switches of self-attention; as they are by default, BERT's.
/// Source: Vaswani et al. 2017, section 3.2
struct SelfAttention {
  QueryKeyMaps query_key = QueryKeyMaps::own;
  bool value = true;    ///< whether values have a map; without one they are the hidden state
  double scale = 0;     ///< of products of queries and keys; 0: 1/√(head size · terms)
  bool causal = false;  ///< whether tokens see those before them and themselves alone

  /// @param counted_terms  number of score terms besides query · key
  [[nodiscard]] double scale_of(size_t head_size, int counted_terms) const {
    return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(head_size) * (1 + counted_terms));
  }
  bool operator==(const SelfAttention&) const = default;
};

/// Which parts of the input are added to the hidden state before every layer but the first.
struct PerLayerInputs {
  bool token = false;
  bool position = false;
  bool segment = false;

  [[nodiscard]] bool any() const { return token || position || segment; }
  bool operator==(const PerLayerInputs&) const = default;
};

}  // namespace summand::model
