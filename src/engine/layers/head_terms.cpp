#include "engine/layers/head_terms.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/matrix_copy.hpp"

namespace summand::engine {

namespace {

bool any(const model::AppliedEncodings<KernelHeadOps>& encodings, bool (*property)(const model::AttentionKind&)) {
  return std::ranges::any_of(encodings, [&](const auto& one) { return property(one.encoding.kind); });
}

std::vector<model::TokenInText> picked(const std::vector<model::TokenInText>& tokens,
                                       const std::vector<size_t>& indices) {
  std::vector<model::TokenInText> picked;
  for (const size_t index : indices) picked.push_back(tokens[index]);
  return picked;
}

}  // namespace

HeadTerms::HeadTerms(const AttentionEncodings& encodings, const model::Batch& batch, const QueryTokens& asked,
                     size_t layer, size_t head, MatrixView<const float> query, MatrixView<const float> key)
    : encodings_(encodings), batch_(batch), asked_(asked), layer_(layer), head_(head) {
  const auto& all = encodings.encodings_;
  const bool adds = encodings.causal_ || std::ranges::any_of(all, [](const auto& encoding) {
                      return encoding.by_formula || !encoding.by_distance.empty();
                    });
  if (!adds || (all.size() == 1 && !encodings.causal_ && point_into(all.front()))) return;
  for (const auto& one : all) {
    if (!one.by_formula) continue;
    model::QueryKeyTokens& tokens = tokens_.emplace_back(model::query_key_tokens(one.encoding, batch, asked.text));
    tokens.queries = picked(tokens.keys, asked.indices);
  }
  sums_ = summed(query, key);
  for (size_t row = 0; row < sums_.rows(); ++row) biases_.push_back(sums_.row(row).data());
}

const float* HeadTerms::middle_of(const AttentionEncodings::Encoding& encoding) const {
  const bool shared = encoding.by_distance.size() == encodings_.head_count_;
  const auto& biases = encoding.by_distance[(shared ? 0 : layer_ * encodings_.head_count_) + head_];
  return biases.data() + encoding.encoding.sizes.positions_or_segments - 1;
}

bool HeadTerms::point_into(const AttentionEncodings::Encoding& encoding) {
  const auto all = model::positions_or_segments_of_text(encoding.encoding, batch_, asked_.text);
  const auto jump = std::ranges::adjacent_find(all, [](int32_t a, int32_t b) { return b != a + 1; });
  if (encoding.by_distance.empty() || jump != all.end()) return false;
  const float* const middle = middle_of(encoding);
  for (const size_t index : asked_.indices) biases_.push_back(middle + (all.front() - all[index]));
  return true;
}

Matrix<float> HeadTerms::summed(MatrixView<const float> query, MatrixView<const float> key) const {
  const size_t count = asked_.indices.size();
  Matrix<float> sums(count, batch_.length(asked_.text));
  if (auto encodings = by_formula(tokens_); !encodings.empty()) {
    sums = model::plus_score_terms(encodings, std::move(sums), {copy_of(query), copy_of(key), encodings_.scale_});
  }
  for (const auto& encoding : encodings_.encodings_) {
    if (encoding.by_distance.empty()) continue;
    const float* const middle = middle_of(encoding);
    const auto all = model::positions_or_segments_of_text(encoding.encoding, batch_, asked_.text);
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

HeadTerms::Encodings HeadTerms::by_formula(const std::vector<model::QueryKeyTokens>& tokens) const {
  Encodings applied;
  if (tokens.empty()) return applied;
  for (const auto& one : encodings_.encodings_) {
    if (one.by_formula) applied.push_back({one.encoding, tokens[applied.size()], encodings_.ops(one, layer_, head_)});
  }
  return applied;
}

std::optional<Matrix<float>> HeadTerms::queries(MatrixView<const float> query) const {
  auto encodings = by_formula(tokens_);
  if (!any(encodings, model::rotates)) return std::nullopt;
  return model::rotated_query(encodings, copy_of(query));
}

std::optional<Matrix<float>> HeadTerms::keys(MatrixView<const float> key) const {
  auto encodings = by_formula(tokens_);
  if (!any(encodings, model::rotates)) return std::nullopt;
  return model::rotated_key(encodings, copy_of(key));
}

std::optional<Matrix<float>> HeadTerms::values(MatrixView<const float> value) const {
  auto encodings = by_formula(tokens_);
  if (!any(encodings, model::changes_values)) return std::nullopt;
  return model::changed_value(encodings, copy_of(value));
}

void HeadTerms::hide(size_t first, MatrixView<float> weights) const {
  if (!encodings_.causal_) return;
  for (size_t row = 0; row < weights.rows(); ++row) {
    std::ranges::fill(weights.row(row).subspan(asked_.indices[first + row] + 1), 0.0F);
  }
}

void HeadTerms::add_to_context(size_t first, MatrixView<const float> weights, MatrixView<float> context) const {
  if (!any(by_formula(tokens_), model::adds_to_context)) return;
  std::vector<model::QueryKeyTokens> tokens = tokens_;
  for (auto& [queries, keys] : tokens) {
    queries = {queries.begin() + static_cast<std::ptrdiff_t>(first),
               queries.begin() + static_cast<std::ptrdiff_t>(first + weights.rows())};
  }
  auto encodings = by_formula(tokens);
  const auto sum = model::plus_context_terms(encodings, copy_of<float>(context), copy_of(weights));
  for (size_t row = 0; row < context.rows(); ++row) std::ranges::copy(sum.row(row), context.row(row).begin());
}

}  // namespace summand::engine
