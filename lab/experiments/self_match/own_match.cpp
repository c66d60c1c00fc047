#include "lab/experiments/self_match/own_match.hpp"
#include "lab/subject/table_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

void scale_row(std::span<float> row, double length) {
  double squares = 0;
  for (const float value : row) squares += double{value} * double{value};
  if (squares == 0) return;
  const double factor = length / std::sqrt(squares);
  for (float& value : row) value = static_cast<float>(factor * double{value});
}

std::vector<double> norms_in(MatrixView<const float> rows) {
  const Vector norms = table_of(rows).rowwise().norm();
  return {norms.begin(), norms.end()};
}

void copy_rows(MatrixView<const float> from, MatrixView<float> to) {
  for (size_t row = 0; row < from.rows(); ++row) std::ranges::copy(from.row(row), to.row(row).begin());
}

/// Of each of a text's tokens.
std::vector<bool> special_of(const Texts& texts, size_t text) {
  const auto at = [&](size_t i) { return texts.special.begin() + static_cast<std::ptrdiff_t>(texts.batch.offsets[i]); };
  return {at(text), at(text + 1)};
}

}  // namespace

void OwnMatch::add(const Table& scores, double factor, const std::vector<bool>& left_out) {
  const Table weights = softmax_rows(scores, factor);
  for (Index i = 0; i < scores.rows(); ++i) {
    if (!left_out.empty() && left_out[static_cast<size_t>(i)]) continue;
    const double own = scores(i, i);
    double other = -std::numeric_limits<double>::infinity();
    for (Index j = 0; j < scores.cols(); ++j) other = j == i ? other : std::max(other, scores(i, j));
    rows += 1;
    first += own >= other ? 1 : 0;
    weight += weights(i, i);
    dominates += weights(i, i) > self_match::kMostOfWeight ? 1 : 0;
    const double larger = std::max(std::abs(own), std::abs(other));
    if (std::isfinite(larger) && larger > 0) margin += (own - other) / larger;
    uniform += 1 / static_cast<double>(scores.cols());
  }
}

void OwnMatch::add(const OwnMatch& other) {
  rows += other.rows;
  first += other.first;
  weight += other.weight;
  dominates += other.dominates;
  margin += other.margin;
  uniform += other.uniform;
}

OwnMatch OwnMatches::head(size_t layer, size_t head, OwnRows rows) const {
  OwnMatch sum;
  for (size_t text = 0; text < texts; ++text) sum.add(at(layer, head, text, rows));
  return sum;
}

OwnMatch OwnMatches::layer(size_t layer, OwnRows rows) const {
  OwnMatch sum;
  for (size_t h = 0; h < heads; ++h) sum.add(head(layer, h, rows));
  return sum;
}

OwnMatch OwnMatches::all() const {
  OwnMatch sum;
  for (size_t l = 0; l < layers; ++l) sum.add(layer(l));
  return sum;
}

OwnMatch OwnMatches::chosen(std::span<const size_t> numbers, OwnRows rows) const {
  OwnMatch sum;
  for (const size_t text : numbers) {
    for (size_t h = 0; h < heads; ++h) sum.add(at(0, h, text, rows));
  }
  return sum;
}

OwnMatches own_matches(const engine::Engine& engine, const Texts& texts, const ChangeQueryKey& change) {
  OwnMatches matches{.layers = static_cast<size_t>(engine.config().num_hidden_layers),
                     .heads = static_cast<size_t>(engine.config().num_attention_heads),
                     .texts = texts.batch.texts(),
                     .of = {}};
  for (auto& rows : matches.of) rows.resize(matches.layers * matches.heads * matches.texts);
  watch_attention(engine, texts.batch, {.change = change}, [&](const TextAttention& text) {
    const auto special = special_of(texts, text.text);
    for (size_t layer = 0; layer < matches.layers; ++layer) {
      for (size_t head = 0; head < matches.heads; ++head) {
        const size_t place = (layer * matches.heads + head) * matches.texts + text.text;
        for (const OwnRows rows : kOwnRows) {
          matches.of[static_cast<size_t>(rows)][place].add(text.scores[layer][head], 1,
                                                           rows == OwnRows::words ? special : std::vector<bool>{});
        }
      }
    }
  });
  return matches;
}

std::vector<OwnMatch> over_factors(const engine::Engine& engine, const Texts& texts, const ChangeQueryKey& change,
                                   std::span<const double> factors) {
  std::vector<OwnMatch> matches(factors.size());
  watch_attention(engine, texts.batch, {.change = change}, [&](const TextAttention& text) {
    const auto special = special_of(texts, text.text);
    for (const auto& heads : text.scores) {
      for (const Table& scores : heads) {
        for (size_t i = 0; i < factors.size(); ++i) matches[i].add(scores, factors[i], special);
      }
    }
  });
  return matches;
}

ChangeQueryKey shuffled_keys(uint64_t seed) {
  return [seed](const QueryKey& maps) {
    RandomStream stream(seed, fmt::format("shuffled keys {} {}", maps.text, maps.layer));
    std::vector<size_t> order(maps.key.rows());
    std::iota(order.begin(), order.end(), size_t{0});
    stream.shuffle(std::span(order));
    std::vector<std::vector<float>> rows;
    for (const size_t row : order) rows.emplace_back(maps.key.row(row).begin(), maps.key.row(row).end());
    for (size_t row = 0; row < rows.size(); ++row) std::ranges::copy(rows[row], maps.key.row(row).begin());
  };
}

ChangeQueryKey equal_norms(size_t heads, double logit) {
  return [heads, logit](const QueryKey& maps) {
    const size_t width = maps.key.columns() / heads;
    const double length = std::sqrt(logit * std::sqrt(static_cast<double>(width)));
    for (size_t head = 0; head < heads; ++head) {
      const auto slice = maps.key.middle_columns(head * width, width);
      for (size_t row = 0; row < slice.rows(); ++row) scale_row(slice.row(row), length);
    }
    copy_rows(maps.key, maps.query);
  };
}

ChangeQueryKey spread_norms(double spread, uint64_t seed) {
  return [spread, seed](const QueryKey& maps) {
    RandomStream stream(seed, fmt::format("spread norms {} {}", maps.text, maps.layer));
    const double length = mean(norms_in(maps.key));
    for (size_t row = 0; row < maps.key.rows(); ++row) {
      scale_row(maps.key.row(row), length * std::exp(spread * stream.normal()));
    }
    copy_rows(maps.key, maps.query);
  };
}

ChangeQueryKey both(ChangeQueryKey first, ChangeQueryKey second) {
  return [first = std::move(first), second = std::move(second)](const QueryKey& maps) {
    if (first) first(maps);
    if (second) second(maps);
  };
}

double norm_spread(const Table& rows, const model::Batch& batch) {
  double sum = 0;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const Vector norms =
        rows.middleRows(static_cast<Index>(batch.offsets[text]), static_cast<Index>(batch.length(text)))
            .rowwise()
            .norm();
    const double length = norms.mean();
    sum += length > 0 ? standard_deviation(elements(norms)) / length : 0;
  }
  return sum / static_cast<double>(batch.texts());
}

BareNumbers bare_numbers_of(const OwnMatch& match, const NumberName& family, const FormatArgs& args) {
  const auto one = [&](const char* what, double sum) {
    FormatArgs all = args;
    all.emplace_back("reading", localize(std::string("self_match.readings.") + what));
    return bare_number(family, what, sum / match.rows, all);
  };
  return {one(self_match::kFirst, match.first), one(self_match::kWeight, match.weight),
          one(self_match::kDominates, match.dominates)};
}

}  // namespace summand::lab
