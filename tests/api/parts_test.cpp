// The input of every model taken apart, against the double-precision reference and against means over the tables.
#include "api/inspection/parts.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "io/safetensors_writer.hpp"
#include "model/config.hpp"
#include "model/taps.hpp"
#include "reference/bert.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using namespace summand::api;
using model::Addend;

namespace {

constexpr double kRounding = 1e-12;
/// The reference reads computed tables of positions in single precision.
constexpr double kSingle = 1e-6;

/// A pair, and among its tokens some that end a sentence for typical hierarchical positions.
const text::InputRecord kPair{"a b a g c", "d g a"};

model::Config plain_config() {
  return test::config_of({.layers = 1, .positions = 24, .vocabulary = 31});
}

/// Another composition; a joint table has no other tables beside it.
model::Config with(model::Config config, const model::Composition& composition) {
  config.composition = composition;
  if (std::holds_alternative<model::JointTable>(composition)) {
    config.position = model::NoPositions();
    config.segment = model::SegmentKind::none;
  }
  return config;
}

LoadedModel model_of(const model::Config& config) {
  const test::TinyDirectory directory("parts");
  directory.write("config.json", model::to_json(config));
  io::write_safetensors(directory.name() + "/model.safetensors",
                        test::random_weights(config, model::Pooler::absent, 3));
  return LoadedModel::load(directory.name());
}

/// What was composed, before it is normalised.
class ComposedInput : public model::Taps<double> {
 public:
  [[nodiscard]] bool wants(model::TapPoint point) const override { return point == model::TapPoint::sum; }
  void visit(const model::TapSite&, MatrixView<double> values) override {
    rows = Matrix<double>(values.rows(), values.columns());
    for (size_t i = 0; i < values.rows(); ++i) std::ranges::copy(values.row(i), rows.row(i).begin());
  }

  Matrix<double> rows;
};

Matrix<double> composed_by_reference(const LoadedModel& model, const text::Encoding& encoding) {
  model::Batch batch;
  batch.add(encoding.ids, encoding.segments);
  ComposedInput input;
  (void)reference::Bert<double>(model.config(), model.checkpoint().weights).run(batch, 0, &input);
  return input.rows;
}

/// Every composition beside every table of positions, segments or none, normalised or not.
std::vector<model::Config> every_input() {
  std::vector<model::Config> configs;
  const auto plain = plain_config();
  for (const auto& composition : model::typical_compositions(static_cast<size_t>(plain.hidden_size))) {
    const auto composed = with(plain, composition);
    if (std::holds_alternative<model::JointTable>(composition)) {
      configs.push_back(composed);
      continue;
    }
    for (const auto& position : model::typical_positions(composed.position_table_size())) {
      auto& config = configs.emplace_back(composed);
      config.position = position;
      if (!model::validation_error(position, config.position_table_size()).empty()) {
        configs.pop_back();  // of an odd width
        continue;
      }
      config.normalise_input = configs.size() % 2 == 0;
      if (configs.size() % 3 == 0) config.segment = model::SegmentKind::none;
    }
  }
  return configs;
}

TextParts parts_of_pair(const LoadedModel& model) {
  return parts_of(input_tables(model), model.tokenizer(), model.encode(kPair, {}, 24));
}

}  // namespace

TEST_CASE("the parts of every input add up to what the reference composes") {
  const auto configs = every_input();
  CHECK(configs.size() > 90);
  for (const auto& config : configs) {
    CAPTURE(model::to_json(config));
    const auto model = model_of(config);
    const auto encoding = model.encode(kPair, {}, 24);
    REQUIRE(encoding.segments.back() == 1);
    const auto expected = composed_by_reference(model, encoding);
    const auto own = input_in_parts(input_tables(model), encoding);
    REQUIRE(own.size() == expected.rows());
    const bool is_stored = model::position_rows(config.position, model.checkpoint().weights) != nullptr;
    double farthest = 0;
    for (size_t t = 0; t < own.size(); ++t) {
      const auto x = own[t].row.total();
      REQUIRE(x.size() == expected.columns());
      for (size_t i = 0; i < x.size(); ++i) farthest = std::max(farthest, std::abs(x[i] - expected(t, i)));
    }
    CHECK(farthest < (is_stored ? kRounding : kSingle));
  }
}

TEST_CASE("shares add up to one, and only what makes something of two parts together has that share") {
  for (const auto& composition : model::typical_compositions(12)) {
    CAPTURE(model::name_of(composition));
    const auto parts = parts_of_pair(model_of(with(plain_config(), composition)));
    const bool has_together = std::holds_alternative<model::Multiplicative>(composition) ||
                              std::holds_alternative<model::JointTable>(composition);
    const bool has_gates = std::holds_alternative<model::ScalarGate>(composition) ||
                           std::holds_alternative<model::VectorGate>(composition);
    const auto total = [](const PartShares& share) {
      return share.common + share.token + share.position + share.segment + share.together.value_or(0);
    };
    REQUIRE(parts.tokens.size() == 11);
    for (const auto& token : parts.tokens) {
      CHECK(total(token.share) == doctest::Approx(1));
      CHECK(token.share.together.has_value() == has_together);
      CHECK(token.together_norm.has_value() == has_together);
      CHECK(token.centred_together_norm.has_value() == has_together);
      CHECK(token.gates.size() == (has_gates ? 3 : 0));
    }
    REQUIRE(parts.share_without_special);
    for (const auto& share : {parts.share_between_tokens, *parts.share_without_special}) {
      CHECK(total(share) == doctest::Approx(1));
      CHECK((share.common != 0) == has_gates);
    }
  }
}

TEST_CASE("the parts of a joint table are means over its rows, and the rest is of the three together") {
  const auto model = model_of(with(plain_config(), model::JointTable()));
  const auto encoding = model.encode(kPair, {}, 24);
  const auto own = input_in_parts(input_tables(model), encoding);
  const auto rows = model::to_matrix<double>(model.checkpoint().weights.at("embeddings.word_embeddings.weight"));
  const size_t t = 8;  // in the second text
  const auto id = static_cast<size_t>(encoding.ids[t]);
  for (size_t i = 0; i < 12; ++i) {
    double mean = 0;
    double by_token = 0;
    double by_position = 0;
    double by_segment = 0;
    for (size_t token = 0; token < 31; ++token) {
      for (size_t position = 0; position < 24; ++position) {
        for (size_t segment = 0; segment < 2; ++segment) {
          const double x = rows((token * 24 + position) * 2 + segment, i);
          mean += x / (31 * 24 * 2);
          if (token == id) by_token += x / (24 * 2);
          if (position == t) by_position += x / (31 * 2);
          if (segment == 1) by_segment += x / (31 * 24);
        }
      }
    }
    const auto check_part = [&](Addend part, double expected) {
      CHECK(std::abs(own[t].row.of(part)[i] - expected) < kRounding);
    };
    check_part(Addend::common, mean);
    check_part(Addend::token, by_token - mean);
    check_part(Addend::position, by_position - mean);
    check_part(Addend::segment, by_segment - mean);
    check_part(Addend::together, rows((id * 24 + t) * 2 + 1, i) - by_token - by_position - by_segment + 2 * mean);
  }
}

TEST_CASE("norms are those of the rows as they enter: projected, of a sentence and its places, or of all three") {
  auto config = plain_config();
  config.position = model::HierarchicalPositions{.sentences = 3, .ends = {11}};  // "g"
  const auto hierarchical = model_of(config);
  const auto& weights = hierarchical.checkpoint().weights;
  const auto sentences = model::to_matrix<double>(weights.at("embeddings.sentence_position_embeddings.weight"));
  const auto places = model::to_matrix<double>(weights.at("embeddings.position_embeddings.weight"));
  const auto encoding = hierarchical.encode(kPair, {}, 24);
  REQUIRE(encoding.ids[4] == 11);
  double square = 0;
  for (size_t i = 0; i < 12; ++i) square += std::pow(sentences(1, i) + places(0, i), 2);
  CHECK(parts_of_pair(hierarchical).tokens[5].position_norm == doctest::Approx(std::sqrt(square)));

  const auto product = parts_of_pair(model_of(with(plain_config(), model::Multiplicative()))).tokens[5];
  const auto sum = parts_of_pair(model_of(plain_config())).tokens[5];
  CHECK(product.token_norm == doctest::Approx(sum.token_norm));
  CHECK(product.position_norm == 0);  // positions enter beside tokens only
  CHECK(product.together_norm.value() > 0);

  const auto joint = parts_of_pair(model_of(with(plain_config(), model::JointTable()))).tokens[5];
  CHECK(joint.token_norm == 0);
  CHECK(joint.together_norm.value() > 0);
}

TEST_CASE("a stronger part is that much of the part, and nothing else of a sum") {
  const auto model = model_of(plain_config());
  const auto tables = input_tables(model);
  const auto encoding = model.encode(kPair, {}, 24);
  const auto unchanged = input_in_parts(tables, encoding);
  const auto stronger = input_in_parts(tables, encoding, {.token = 0.5, .position = 3, .segment = 0});
  for (size_t t = 0; t < unchanged.size(); ++t) {
    for (size_t i = 0; i < 12; ++i) {
      CHECK(stronger[t].row.of(Addend::token)[i] == 0.5 * unchanged[t].row.of(Addend::token)[i]);
      CHECK(stronger[t].row.of(Addend::position)[i] == 3 * unchanged[t].row.of(Addend::position)[i]);
      CHECK(stronger[t].row.of(Addend::segment)[i] == 0);
    }
    CHECK(stronger[t].row.of(Addend::common) == unchanged[t].row.of(Addend::common));
  }
}

TEST_CASE("a token at another position keeps its other rows") {
  const auto model = model_of(plain_config());
  const auto tables = input_tables(model);
  const auto encoding = model.encode(kPair, {}, 24);
  const auto unchanged = input_in_parts(tables, encoding);
  std::vector<int32_t> positions;
  for (size_t t = unchanged.size(); t > 0; --t) positions.push_back(static_cast<int32_t>(t - 1));
  const auto moved = input_in_parts(tables, encoding, {.positions = positions});
  for (size_t t = 0; t < unchanged.size(); ++t) {
    const size_t other = unchanged.size() - 1 - t;
    CHECK(moved[t].row.of(Addend::position) == unchanged[other].row.of(Addend::position));
    CHECK(moved[t].row.of(Addend::token) == unchanged[t].row.of(Addend::token));
    CHECK(moved[t].row.of(Addend::segment) == unchanged[t].row.of(Addend::segment));
  }
  CHECK(parts_of(tables, model.tokenizer(), encoding, {.positions = positions}).tokens[0].position == positions[0]);
}
