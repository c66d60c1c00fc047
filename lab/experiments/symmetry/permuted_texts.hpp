#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "base/random_stream.hpp"
#include "engine/engine.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/table.hpp"
#include "model/batch.hpp"
#include "reference/bert.hpp"

// Texts whose tokens change places, and what a model's outputs make of it.
namespace summand::lab {

/// What attention is allowed to do in place of what it does.
enum class Attention {
  full,
  causal,  ///< scores of later tokens masked
  mean,    ///< every weight 1/n: the closed form of attention that reads no token more than another
};

/// A text, and one whose token i stands at place order[i].
struct Permuted {
  model::Batch text;   ///< one text
  model::Batch moved;  ///< the same tokens in their new places
  std::vector<size_t> order;
};

/// Which tokens change places.
enum class Moved { all, all_but_first };

/// Every text in so many random orders, all segments 0.
[[nodiscard]] std::vector<Permuted> drawn_pairs(const Texts& texts, size_t each, Moved moved, RandomStream& stream);

/// Last hidden states of a text, [tokens, hidden].
using Model = std::function<Table(const model::Batch& text)>;

/// @param engine  kept by reference, as is the reference model
[[nodiscard]] Model on_engine(const engine::Engine& engine, Attention attention);
[[nodiscard]] Model on_reference(const reference::Bert<double>& bert, Attention attention);

/// Largest changes under a permutation, in deviations of what is compared.
struct Changes {
  double tokens = 0;      ///< a token's output, wherever the token stands
  double mean = 0;        ///< the mean of all outputs
  double same_place = 0;  ///< the output at a place, whichever token stands there; median over places

  void keep_larger(const Changes& other) {
    tokens = std::max(tokens, other.tokens);
    mean = std::max(mean, other.mean);
    same_place = std::max(same_place, other.same_place);
  }
};

[[nodiscard]] Changes largest_changes(const Model& model, const std::vector<Permuted>& pairs);
/// The largest change of the first token's output, in deviations.
[[nodiscard]] double largest_first_change(const Model& model, const std::vector<Permuted>& pairs);

}  // namespace summand::lab
