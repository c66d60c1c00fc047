#include "model/attention_kind.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "model/parameters.hpp"
#include "support/attention_settings.hpp"
#include "support/random_model.hpp"

namespace summand::model {

namespace {

constexpr AttentionSizes kSizes{.positions_or_segments = 16, .heads = 3, .head_size = 4};
constexpr double kAttentionKindRounding = 1e-12;

/// The tokens of a text at some positions.
std::vector<TokenInText> tokens(const std::vector<int32_t>& positions) {
  std::vector<TokenInText> tokens;
  for (const int32_t position : positions)
    tokens.push_back({.position_or_segment = position, .index = static_cast<int32_t>(tokens.size())});
  return tokens;
}

/// A kind with random parameters, and what it adds to scores of random queries and keys.
class Drawn {
 public:
  explicit Drawn(const AttentionKind& kind) : config_(test::config_of({.hidden = 12, .heads = 3, .positions = 16})) {
    config_.position_attention = kind;
    weights_ = test::random_weights(config_, Pooler::absent, 5);
    encoding_ = config_.positions_in_attention();
    shared_ = shared_parameters_of<double>(encoding_, weights_);
    layer_ = layer_parameters_of<double>(encoding_, weights_, 1);
  }

  /// Scores of as many equal queries against equal keys, so that positions alone make the difference.
  [[nodiscard]] Matrix<double> scores(const std::vector<int32_t>& positions, size_t head = 1) {
    HeadOps<double> ops({.shared = shared_, .layer = layer_, .sizes = encoding_.sizes, .epsilon = 1e-12}, head);
    Matrix<double> query(positions.size(), 4);
    Matrix<double> key(positions.size(), 4);
    for (size_t row = 0; row < positions.size(); ++row) {
      for (size_t column = 0; column < 4; ++column) {
        query(row, column) = 0.3 + 0.2 * static_cast<double>(column);
        key(row, column) = 0.7 - 0.4 * static_cast<double>(column);
      }
    }
    if (auto rotated_query = rotate(encoding_, ops, query, tokens(positions))) query = *rotated_query;
    if (auto rotated_key = rotate(encoding_, ops, key, tokens(positions))) key = *rotated_key;
    Matrix<double> scores = ops.scaled(ops.product_transposed(query, key), 0.5);
    const QueryKeyTokens both{tokens(positions), tokens(positions)};
    if (const auto terms = score_terms(encoding_, ops, {query, key, 0.5}, both)) scores = ops.plus(scores, *terms);
    return scores;
  }

 private:
  Config config_;
  Weights weights_;
  AttentionEncoding encoding_;
  AttentionParameters<double> shared_, layer_;
};

/// A new kind whose scores do not depend on the distance alone is named here.
bool is_relative(const AttentionKind& kind) {
  const std::set<std::string_view> absolute{"tupe_absolute", "tupe_relative", "diet_absolute", "pair_bias", "rows"};
  return !absolute.contains(name_of(kind));
}

}  // namespace

TEST_CASE("relative encodings inside attention depend on the distance alone, absolute ones do not") {
  for (const auto& kind : test::attention_settings(kSizes)) {
    INFO(test::description(kind));
    Drawn drawn(kind);
    const auto here = drawn.scores({1, 2, 5});
    const auto there = drawn.scores({8, 9, 12});
    double moved = 0;
    for (size_t i = 0; i < 9; ++i) moved = std::max(moved, std::abs(here.elements()[i] - there.elements()[i]));
    if (const auto* rows = std::get_if<Rows>(&kind); rows != nullptr && !rows->content_to_position) continue;
    CHECK_MESSAGE((moved < kAttentionKindRounding) == is_relative(kind), "is_relative() above says otherwise");
  }
}

TEST_CASE("an encoding inside attention tells one order from another") {
  for (const auto& kind : test::attention_settings(kSizes)) {
    if (std::holds_alternative<NotInAttention>(kind)) continue;
    if (const auto* rows = std::get_if<Rows>(&kind); rows != nullptr && !rows->content_to_position) continue;
    INFO(test::description(kind));
    Drawn drawn(kind);
    // The text's first token may be apart from all others.
    const auto near = drawn.scores({0, 4, 5});
    const auto far = drawn.scores({0, 4, 8});
    CHECK(std::abs((near(1, 2) - near(1, 1)) - (far(1, 2) - far(1, 1))) > 1e-3);
  }
}

TEST_CASE("rotary encodings rotate keys too: queries and keys at one position meet as if none were rotated") {
  for (const SinusoidLayout layout : {SinusoidLayout::interleaved, SinusoidLayout::halves}) {
    Drawn drawn(Rotary{.layout = layout});
    const auto scores = drawn.scores({0, 7, 7});
    CHECK(scores(1, 2) == doctest::Approx(scores(0, 0)).epsilon(1e-12));
    CHECK(std::abs(scores(0, 1) - scores(1, 0)) > 1e-3);  // a distance has a sign
  }
}

TEST_CASE("every kind inside attention has a name of its own, its parameters once, and refuses what does not fit") {
  std::set<std::string> names;
  for_each_kind<AttentionKind>(
      [&](const AttentionKind& kind) { CHECK(names.insert(std::string(name_of(kind))).second); });
  for (const auto& kind : test::attention_settings(kSizes)) {
    INFO(test::description(kind));
    Config config = test::config_of({.hidden = 12, .heads = 3, .positions = 16});
    config.position_attention = kind;
    config.segment_attention = kind;
    if (!kind_error(kind, config.segments_in_attention().sizes).empty()) config.segment_attention = AttentionKind();
    std::set<std::string> parameters_seen;
    for (const auto& parameter : parameters(config, {})) CHECK(parameters_seen.insert(parameter.name).second);
  }
  const auto fault = [](const AttentionKind& kind, AttentionSizes sizes = kSizes) { return kind_error(kind, sizes); };
  CHECK(fault(ShawKeys{.clip = -1}) == "clip: expected 0 to 65536, got -1");
  CHECK(fault(Rotary(), {.positions_or_segments = 16, .heads = 4, .head_size = 3}) ==
        "kind: expected heads of an even width, got 3");
  CHECK(fault(Rotary{.base = 0}) == "base: expected a number above 0, got 0");
  CHECK(fault(T5Bias{.buckets = 7}) == "buckets: expected an even number, 4 or more, got 7");
  CHECK(fault(T5Bias{.max_distance = 8}) == "max_distance: expected more than a quarter of the buckets (8), got 8");
  CHECK(fault(DietAbsolute{.rank = 13}) == "rank: expected 0 to hidden_size (12), got 13");
  CHECK(fault(Deberta{.span = 70000}) == "span: expected 0 to 65536, got 70000");
  CHECK(fault(Deberta{.content_to_position = false, .position_to_content = false}) ==
        "kind: expected one term or more, got none");
}

TEST_CASE("T5's buckets, ALiBi's slopes") {
  const biases::Buckets buckets;
  // Computed with transformers' T5Attention._relative_position_bucket of key minus query.
  const std::vector<std::pair<int64_t, int64_t>> known{{0, 0},    {-1, 1},   {1, 17},   {-7, 7},   {7, 23},
                                                       {-8, 8},   {8, 24},   {-11, 8},  {-12, 9},  {16, 26},
                                                       {-64, 14}, {-90, 14}, {-91, 15}, {127, 31}, {-500, 15}};
  for (const auto& [offset, bucket] : known) {
    INFO(offset);
    CHECK(buckets(offset) == bucket);
  }
  CHECK(biases::slopes(8) == std::vector<double>{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625});
  const auto twelve = biases::slopes(12);  // those of 8, then every other one of 16
  CHECK(twelve.size() == 12);
  CHECK(twelve[7] == 0.00390625);
  CHECK(twelve[8] == doctest::Approx(std::exp2(-0.5)));
  CHECK(twelve[11] == doctest::Approx(std::exp2(-3.5)));
}

}  // namespace summand::model
