#include "engine/attention_encodings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/assert.hpp"

namespace summand::engine {

namespace {

Matrix<float> copy_of(MatrixView<const float> rows) {
  Matrix<float> copy(rows.rows(), rows.columns());
  for (size_t row = 0; row < rows.rows(); ++row) std::ranges::copy(rows.row(row), copy.row(row).begin());
  return copy;
}

/// One query at the last tag, and keys at every distance from it.
model::Pairs every_distance(size_t tags) {
  model::Pairs pairs;
  pairs.queries.push_back({.tag = static_cast<int32_t>(tags - 1), .place = 0});
  for (size_t key = 0; key < 2 * tags - 1; ++key) pairs.keys.push_back({.tag = static_cast<int32_t>(key), .place = 0});
  return pairs;
}

bool needs_floats(const model::AttentionKind& kind) {
  const bool on_the_way = model::is_by_distance(kind) || model::turns(kind);
  return !on_the_way && !std::holds_alternative<model::NotInAttention>(kind);
}

float read_number(const Destination& row, size_t column) {
  return row.floats != nullptr ? row.floats[column] : to_float(row.rounded[column]);
}

void write_number(const Destination& row, size_t column, float number) {
  if (row.floats != nullptr) {
    row.floats[column] = number;
  } else {
    row.rounded[column] = to_bf16(number);
  }
}

}  // namespace

std::span<const int32_t> AttentionEncodings::Encoding::tags(const model::Batch& batch, size_t text) const {
  const auto& all = is_of_positions ? batch.positions : batch.segments;
  return std::span(all).subspan(batch.offsets[text], batch.length(text));
}

AttentionEncodings::AttentionEncodings(const model::Config& config, const model::Weights& weights)
    : head_count_(static_cast<size_t>(config.num_attention_heads)),
      head_size_(static_cast<size_t>(config.head_size())),
      layers_(static_cast<size_t>(config.num_hidden_layers)),
      epsilon_(config.layer_norm_eps),
      scale_(config.score_scale()),
      causal_(config.attention.causal),
      need_floats_(causal_) {
  for (const bool is_of_positions : {true, false}) {
    const auto encoding = is_of_positions ? config.positions_in_attention() : config.segments_in_attention();
    if (!encoding.exists()) continue;
    Encoding& added = encodings_.emplace_back();
    added.encoding = encoding;
    added.is_of_positions = is_of_positions;
    read(added, weights);
    need_floats_ |= needs_floats(encoding.kind);
    turn_ |= model::turns(encoding.kind);
  }
}

void AttentionEncodings::read(Encoding& added, const model::Weights& weights) {
  added.shared = model::shared_parameters_of<float>(added.encoding, weights);
  for (size_t layer = 0; layer < layers_; ++layer) {
    added.layers.push_back(model::layer_parameters_of<float>(added.encoding, weights, layer));
  }
  if (model::is_by_distance(added.encoding.kind)) {
    const bool shared = added.layers.empty() || added.layers.front().empty();
    const model::Pairs pairs = every_distance(added.encoding.sizes.tags);
    const Matrix<float> nothing;
    for (size_t layer = 0; layer < (shared ? std::min<size_t>(layers_, 1) : layers_); ++layer) {
      for (size_t head = 0; head < head_count_; ++head) {
        auto head_ops = ops(added, layer, head);
        const auto row = model::score_terms(added.encoding, head_ops, {nothing, nothing, scale_}, pairs);
        added.by_distance.emplace_back(row->elements().begin(), row->elements().end());
      }
    }
  }
  if (const auto* rotary = std::get_if<model::Rotary>(&added.encoding.kind)) {
    const size_t pairs = head_size_ / 2;
    added.cosines = Matrix<float>(added.encoding.sizes.tags, pairs);
    added.sines = Matrix<float>(added.encoding.sizes.tags, pairs);
    for (size_t tag = 0; tag < added.cosines.rows(); ++tag) {
      for (size_t pair = 0; pair < pairs; ++pair) {
        const double angle = rotary->angle(static_cast<int32_t>(tag), pair, head_size_);
        added.cosines(tag, pair) = static_cast<float>(std::cos(angle));
        added.sines(tag, pair) = static_cast<float>(std::sin(angle));
      }
    }
  }
}

model::HeadOps<float> AttentionEncodings::ops(const Encoding& encoding, size_t layer, size_t head) const {
  return {{.shared = encoding.shared,
           .layer = encoding.layers[layer],
           .sizes = encoding.encoding.sizes,
           .epsilon = epsilon_},
          head};
}

void AttentionEncodings::turn_row(const model::Batch& batch, size_t token, Columns columns, Destination row) const {
  for (const Encoding& encoding : encodings_) {
    const auto* rotary = std::get_if<model::Rotary>(&encoding.encoding.kind);
    if (rotary == nullptr) continue;
    const auto tag = static_cast<size_t>((encoding.is_of_positions ? batch.positions : batch.segments)[token]);
    const auto cosines = encoding.cosines.row(tag);
    const auto sines = encoding.sines.row(tag);
    size_t heads = head_count_;
    if (columns == Columns::queries_keys_values) heads *= rotary->values ? 3 : 2;
    for (size_t head = 0; head < heads; ++head) {
      const size_t begin = head * head_size_;
      for (size_t pair = 0; pair < cosines.size(); ++pair) {
        const auto [first, second] = rotary->columns_of_pair(pair, head_size_);
        const float a = read_number(row, begin + first);
        const float b = read_number(row, begin + second);
        write_number(row, begin + first, a * cosines[pair] - b * sines[pair]);
        write_number(row, begin + second, b * cosines[pair] + a * sines[pair]);
      }
    }
  }
}

HeadTerms::HeadTerms(const AttentionEncodings& encodings, const model::Batch& batch, const AskedTokens& asked,
                     size_t layer, size_t head, MatrixView<const float> query, MatrixView<const float> key)
    : encodings_(encodings), batch_(batch), asked_(asked), layer_(layer), head_(head) {
  if (!encodings.need_floats()) return;
  std::optional<Matrix<float>> queries, keys;
  for (const auto& encoding : encodings.encodings_) {
    if (!needs_floats(encoding.encoding.kind)) continue;
    if (!queries) {
      queries = copy_of(query);
      keys = copy_of(key);
    }
    auto ops = encodings.ops(encoding, layer, head);
    auto terms = model::score_terms(encoding.encoding, ops, {*queries, *keys, encodings.scale_},
                                    pairs(encoding, 0, asked.places.size()));
    if (!terms) continue;
    general_ = general_ ? ops.plus(std::move(*general_), *terms) : std::move(*terms);
  }
}

std::vector<model::TaggedToken> HeadTerms::tokens(const AttentionEncodings::Encoding& encoding) const {
  std::vector<model::TaggedToken> tokens;
  for (const int32_t tag : encoding.tags(batch_, asked_.text)) {
    tokens.push_back({.tag = tag, .place = static_cast<int32_t>(tokens.size())});
  }
  return tokens;
}

std::vector<model::TaggedToken> HeadTerms::asked_tokens(const AttentionEncodings::Encoding& encoding) const {
  const auto all = tokens(encoding);
  std::vector<model::TaggedToken> asked;
  for (const size_t place : asked_.places) asked.push_back(all[place]);
  return asked;
}

model::Pairs HeadTerms::pairs(const AttentionEncodings::Encoding& encoding, size_t first, size_t count) const {
  model::Pairs pairs{.queries = {}, .keys = tokens(encoding)};
  for (size_t i = first; i < first + count; ++i) pairs.queries.push_back(pairs.keys[asked_.places[i]]);
  return pairs;
}

std::optional<Matrix<float>> HeadTerms::turned(MatrixView<const float> rows, bool asked) const {
  std::optional<Matrix<float>> result;
  if (!encodings_.turn_ || encodings_.turn_rows()) return result;
  for (const auto& encoding : encodings_.encodings_) {
    if (!model::turns(encoding.encoding.kind)) continue;
    auto ops = encodings_.ops(encoding, layer_, head_);
    result = model::turned(encoding.encoding, ops, result ? *result : copy_of(rows),
                           asked ? asked_tokens(encoding) : tokens(encoding));
  }
  return result;
}

std::optional<Matrix<float>> HeadTerms::queries(MatrixView<const float> query) const {
  return turned(query, true);
}

std::optional<Matrix<float>> HeadTerms::keys(MatrixView<const float> key) const {
  return turned(key, false);
}

std::optional<Matrix<float>> HeadTerms::values(MatrixView<const float> value) const {
  std::optional<Matrix<float>> changed;
  for (const bool turning : {true, false}) {  // what is added to values is not turned
    if (turning && encodings_.turn_rows()) continue;
    for (const auto& encoding : encodings_.encodings_) {
      if (model::turns(encoding.encoding.kind) != turning || !model::changes_values(encoding.encoding.kind)) continue;
      auto ops = encodings_.ops(encoding, layer_, head_);
      if (!changed) changed = copy_of(value);
      changed = model::changed_values(encoding.encoding, ops, *changed, tokens(encoding));
    }
  }
  return changed;
}

void HeadTerms::add(size_t first, MatrixView<float> scores) const {
  const auto scale = static_cast<float>(encodings_.scale_);
  for (size_t row = 0; row < scores.rows(); ++row) {
    for (float& score : scores.row(row)) score *= scale;
  }
  for (const auto& encoding : encodings_.encodings_) {
    if (encoding.by_distance.empty()) continue;
    const bool shared = encoding.by_distance.size() == encodings_.head_count_;
    const auto& biases = encoding.by_distance[(shared ? 0 : layer_ * encodings_.head_count_) + head_];
    const auto tags = encoding.tags(batch_, asked_.text);
    const auto middle = static_cast<int32_t>(encoding.encoding.sizes.tags) - 1;
    const bool consecutive =
        tags.back() - tags.front() + 1 == static_cast<int32_t>(tags.size()) &&
        std::ranges::adjacent_find(tags, [](int32_t a, int32_t b) { return b != a + 1; }) == tags.end();
    for (size_t row = 0; row < scores.rows(); ++row) {
      const int32_t query = tags[asked_.places[first + row]];
      const auto to = scores.row(row);
      if (consecutive) {
        const float* const from = biases.data() + (tags.front() - query + middle);
        for (size_t j = 0; j < to.size(); ++j) to[j] += from[j];
      } else {
        for (size_t j = 0; j < to.size(); ++j) to[j] += biases[static_cast<size_t>(tags[j] - query + middle)];
      }
    }
  }
  for (size_t row = 0; general_ && row < scores.rows(); ++row) {
    const auto from = general_->row(first + row);
    const auto to = scores.row(row);
    for (size_t j = 0; j < to.size(); ++j) to[j] += from[j];
  }
  if (!encodings_.causal_) return;
  for (size_t row = 0; row < scores.rows(); ++row) {
    std::ranges::fill(scores.row(row).subspan(asked_.places[first + row] + 1), -std::numeric_limits<float>::infinity());
  }
}

void HeadTerms::hide(size_t first, MatrixView<float> weights) const {
  if (!encodings_.causal_) return;
  for (size_t row = 0; row < weights.rows(); ++row) {
    std::ranges::fill(weights.row(row).subspan(asked_.places[first + row] + 1), 0.0F);
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
