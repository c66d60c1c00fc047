#include "engine/layers/head_terms.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/matrix_copy.hpp"

namespace summand::engine {

HeadTerms::HeadTerms(const AttentionEncodings& encodings, const model::Batch& batch, const QueryTokens& asked,
                     size_t layer, size_t head, MatrixView<const float> query, MatrixView<const float> key)
    : encodings_(encodings), batch_(batch), asked_(asked), layer_(layer), head_(head) {
  const auto& all = encodings.encodings_;
  const bool adds = encodings.causal_ || std::ranges::any_of(all, [](const auto& encoding) {
                      return encoding.needs_floats || !encoding.by_distance.empty();
                    });
  if (!adds || (all.size() == 1 && !encodings.causal_ && point_into(all.front()))) return;
  sums_ = summed(query, key);
  for (size_t row = 0; row < sums_.rows(); ++row) biases_.push_back(sums_.row(row).data());
}

const float* HeadTerms::middle_of(const AttentionEncodings::Encoding& encoding) const {
  const bool shared = encoding.by_distance.size() == encodings_.head_count_;
  const auto& biases = encoding.by_distance[(shared ? 0 : layer_ * encodings_.head_count_) + head_];
  return biases.data() + encoding.encoding.sizes.positions_or_segments - 1;
}

bool HeadTerms::point_into(const AttentionEncodings::Encoding& encoding) {
  const auto all = encoding.positions_or_segments(batch_, asked_.text);
  const auto jump = std::ranges::adjacent_find(all, [](int32_t a, int32_t b) { return b != a + 1; });
  if (encoding.by_distance.empty() || jump != all.end()) return false;
  const float* const middle = middle_of(encoding);
  for (const size_t index : asked_.indices) biases_.push_back(middle + (all.front() - all[index]));
  return true;
}

Matrix<float> HeadTerms::summed(MatrixView<const float> query, MatrixView<const float> key) const {
  const size_t count = asked_.indices.size();
  Matrix<float> sums(count, batch_.length(asked_.text));
  for (const auto& encoding : encodings_.encodings_) {
    if (!encoding.needs_floats) continue;
    auto ops = encodings_.ops(encoding, layer_, head_);
    auto terms = model::score_terms(encoding.encoding, ops, {copy_of(query), copy_of(key), encodings_.scale_},
                                    pairs(encoding, 0, count));
    if (terms) sums = ops.plus(std::move(sums), *terms);
  }
  for (const auto& encoding : encodings_.encodings_) {
    if (encoding.by_distance.empty()) continue;
    const float* const middle = middle_of(encoding);
    const auto all = encoding.positions_or_segments(batch_, asked_.text);
    for (size_t row = 0; row < count; ++row) {
      const int32_t asked = all[asked_.indices[row]];
      for (size_t j = 0; j < all.size(); ++j) sums(row, j) += middle[all[j] - asked];
    }
  }
  for (size_t row = 0; encodings_.causal_ && row < count; ++row) {
    std::ranges::fill(sums.row(row).subspan(asked_.indices[row] + 1), -std::numeric_limits<float>::infinity());
  }
  return sums;
}

std::vector<model::TokenInText> HeadTerms::tokens(const AttentionEncodings::Encoding& encoding) const {
  std::vector<model::TokenInText> tokens;
  for (const int32_t one : encoding.positions_or_segments(batch_, asked_.text)) {
    tokens.push_back({.position_or_segment = one, .index = static_cast<int32_t>(tokens.size())});
  }
  return tokens;
}

std::vector<model::TokenInText> HeadTerms::query_tokens(const AttentionEncodings::Encoding& encoding) const {
  const auto all = tokens(encoding);
  std::vector<model::TokenInText> asked;
  for (const size_t index : asked_.indices) asked.push_back(all[index]);
  return asked;
}

model::Pairs HeadTerms::pairs(const AttentionEncodings::Encoding& encoding, size_t first, size_t count) const {
  model::Pairs pairs{.queries = {}, .keys = tokens(encoding)};
  for (size_t i = first; i < first + count; ++i) pairs.queries.push_back(pairs.keys[asked_.indices[i]]);
  return pairs;
}

std::optional<Matrix<float>> HeadTerms::rotated(MatrixView<const float> rows, bool asked) const {
  std::optional<Matrix<float>> result;
  if (encodings_.rotations() != nullptr) return result;
  for (const auto& encoding : encodings_.encodings_) {
    if (!model::rotates(encoding.encoding.kind)) continue;
    auto ops = encodings_.ops(encoding, layer_, head_);
    result = model::rotate(encoding.encoding, ops, result ? *result : copy_of(rows),
                           asked ? query_tokens(encoding) : tokens(encoding));
  }
  return result;
}

std::optional<Matrix<float>> HeadTerms::queries(MatrixView<const float> query) const {
  return rotated(query, true);
}

std::optional<Matrix<float>> HeadTerms::keys(MatrixView<const float> key) const {
  return rotated(key, false);
}

std::optional<Matrix<float>> HeadTerms::values(MatrixView<const float> value) const {
  std::optional<Matrix<float>> changed;
  for (const bool rotating : {true, false}) {  // what is added to values is not rotated
    if (rotating && encodings_.rotations() != nullptr) continue;
    for (const auto& encoding : encodings_.encodings_) {
      if (model::rotates(encoding.encoding.kind) != rotating || !model::changes_values(encoding.encoding.kind))
        continue;
      auto ops = encodings_.ops(encoding, layer_, head_);
      if (!changed) changed = copy_of(value);
      changed = model::changed_values(encoding.encoding, ops, *changed, tokens(encoding));
    }
  }
  return changed;
}

void HeadTerms::hide(size_t first, MatrixView<float> weights) const {
  if (!encodings_.causal_) return;
  for (size_t row = 0; row < weights.rows(); ++row) {
    std::ranges::fill(weights.row(row).subspan(asked_.indices[first + row] + 1), 0.0F);
  }
}

void HeadTerms::add_to_context(size_t first, MatrixView<const float> weights, MatrixView<float> context) const {
  for (const auto& encoding : encodings_.encodings_) {
    if (!model::adds_to_context(encoding.encoding.kind)) continue;
    auto ops = encodings_.ops(encoding, layer_, head_);
    const auto terms =
        model::context_terms(encoding.encoding, ops, copy_of(weights), pairs(encoding, first, weights.rows()));
    for (size_t row = 0; row < context.rows(); ++row) {
      const auto to = context.row(row);
      for (size_t i = 0; i < to.size(); ++i) to[i] += (*terms)(row, i);
    }
  }
}

}  // namespace summand::engine
