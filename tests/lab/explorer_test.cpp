// What the report's explorer is given, against searches, the reference and the formulas themselves.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "api/inspection/parts.hpp"
#include "base/error.hpp"
#include "io/safetensors_writer.hpp"
#include "lab/explorer/chosen_sentences.hpp"
#include "lab/explorer/explore.hpp"
#include "lab/explorer/strength_decoder.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/watch.hpp"
#include "lab/report/explorer_json.hpp"
#include "lab/statistics/moments.hpp"
#include "model/composition.hpp"
#include "model/parameters.hpp"
#include "reference/bert.hpp"
#include "support/random_model.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;

namespace {

constexpr double kFloat = 2e-5;   // the engine computes in single precision
constexpr double kMargin = 2e-6;  // so do vectors that are decoded

// In the words of planted::checkpoint.
const std::string kPair = "aa ba ca ||| da ea aa fa";
const std::string kLong = "aa ba ca da ea fa ga ha ia ja ka la ma na oa pa qa ra sa ta ua va wa xa ya za";

Subject drawn_model() {
  return planted::checkpoint({40, 24}, [](planted::ThreeTables& tables) { tables.positions.array() += 0.2; });
}

Exploration explored(const Subject& subject, const std::vector<std::string>& given) {
  return explore(subject, given_sentences(given), 1);
}

/// The centred positions times a strength, around the mean row.
Table positions_at(const Subject& subject, double strength) {
  const Eigen::RowVectorXd mean = subject.positions.colwise().mean();
  return (strength * (subject.positions.rowwise() - mean)).rowwise() + mean;
}

model::Batch batch_of(const ExploredSentence& sentence) {
  model::Batch batch;
  std::vector<int32_t> ids;
  std::vector<int32_t> segments;
  for (const auto& item : sentence.items) {
    ids.push_back(static_cast<int32_t>(item.token));
    segments.push_back(static_cast<int32_t>(item.segment));
  }
  batch.add(ids, segments);
  return batch;
}

/// What the double-precision reference makes of a sentence.
struct Reference {
  std::vector<Table> attention;  ///< [layers · heads]
  Vector vector;                 ///< mean of the last hidden states
};

Reference reference_of(const Subject& subject, const ExploredSentence& sentence, double strength) {
  Reference result;
  auto model = changed_model(subject);
  model.replace_positions(positions_at(subject, strength));
  Watch<double> watch({model::TapPoint::attention}, [&](const model::TapSite&, MatrixView<double> values) {
    Table& table = result.attention.emplace_back(values.rows(), values.columns());
    for (size_t i = 0; i < values.rows(); ++i) {
      for (size_t j = 0; j < values.columns(); ++j) table(static_cast<Index>(i), static_cast<Index>(j)) = values(i, j);
    }
  });
  const auto output = reference::Bert<double>(model.config, model.weights).run(batch_of(sentence), 0, &watch);
  const auto& states = output.hidden_states.back();
  result.vector = Vector::Zero(static_cast<Index>(states.columns()));
  for (size_t t = 0; t < states.rows(); ++t) {
    for (size_t d = 0; d < states.columns(); ++d) result.vector(static_cast<Index>(d)) += states(t, d);
  }
  return result;
}

double farthest(const Table& a, const Table& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

// Tables small enough that every combination is looked through.
struct SearchedSums {
  Table tokens, positions, segments;
  std::vector<SumItem> items;

  [[nodiscard]] Eigen::RowVectorXd strengthened(const SumItem& item, double strength) const {
    const Eigen::RowVectorXd mean = positions.colwise().mean();
    return tokens.row(item.token) + segments.row(item.segment) + mean +
           strength * (positions.row(item.position) - mean);
  }
};

SearchedSums searched_sums(uint64_t seed, Index count, Index columns) {
  const auto noise = [&](Index rows, const char* name) {
    RandomStream stream(seed, name);
    return white_noise({static_cast<size_t>(rows), static_cast<size_t>(columns)}, stream);
  };
  SearchedSums sums{noise(count, "tokens"), 0.4 * noise(45, "positions"), 0.2 * noise(2, "segments"), {}};
  sums.positions.row(0) *= 8;  // a few long rows, as trained tables have
  sums.positions.row(7) *= 5;
  for (Index i = 0; i < count; ++i) sums.items.push_back({i, (7 * i) % 45, i % 2});
  return sums;
}

struct Distances {
  double own = 0;
  double nearest = std::numeric_limits<double>::infinity();  // other
};

template <class DistanceOf>
Distances distances_by_search(const SearchedSums& sums, const SumItem& item, const DistanceOf& distance_of) {
  Distances found;
  for (Index t = 0; t < sums.tokens.rows(); ++t) {
    for (Index p = 0; p < sums.positions.rows(); ++p) {
      for (Index s = 0; s < sums.segments.rows(); ++s) {
        const double distance = distance_of(sums.tokens.row(t) + sums.positions.row(p) + sums.segments.row(s));
        if (t == item.token && p == item.position && s == item.segment) {
          found.own = distance;
        } else {
          found.nearest = std::min(found.nearest, distance);
        }
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a sentence is a text or a pair, and what is neither is refused") {
  const auto given = given_sentences(std::vector<std::string>{"  aa ba ", "aa|||ba", kPair});
  REQUIRE(given.size() == 3);
  CHECK(given[0].text == "aa ba");
  CHECK_FALSE(given[0].text_pair.has_value());
  CHECK(given[1].text_pair == "ba");
  CHECK(given[2].text == "aa ba ca");
  CHECK(given[2].text_pair == "da ea aa fa");
  for (const std::string wrong : {"", "  ", "||| b", "a |||", "a ||| b ||| c"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS((void)given_sentences(std::vector<std::string>{wrong}), UsageError);
  }
  CHECK_THROWS_AS((void)given_sentences(std::vector<std::string>(kMostGiven + 1, "a")), UsageError);
  CHECK(given_sentences(std::vector<std::string>(kMostGiven, "a")).size() == kMostGiven);
}

TEST_CASE("given sentences come first and are cut, then a pair and the most repeating one of the corpus") {
  const Subject subject = drawn_model();
  const auto exploration = explored(subject, {kLong});
  REQUIRE(exploration.sentences.size() == 4);
  const auto& [given, pair, repeating, other] = std::array{exploration.sentences[0], exploration.sentences[1],
                                                           exploration.sentences[2], exploration.sentences[3]};
  CHECK(given.items.size() == kExploredTokens);
  CHECK(given.cut == 28 - kExploredTokens);
  CHECK(given.items.back().token == 3);  // [SEP] is not what is cut
  REQUIRE(given.special.size() == kExploredTokens);
  CHECK(std::ranges::count(given.special, 1) == 2);
  CHECK(given.special.front() + given.special.back() == 2);
  CHECK(std::ranges::any_of(pair.items, [](const SumItem& item) { return item.segment == 1; }));
  CHECK_FALSE(pair.text_pair.empty());
  CHECK(pair.why.en.find("pair") != std::string::npos);
  CHECK(repeating.why != pair.why);
  for (const auto& sentence : exploration.sentences) {
    CHECK(sentence.items.size() <= kExploredTokens);
    CHECK_FALSE(sentence.text.empty());
    for (const auto& item : sentence.items) CHECK_FALSE(exploration.tokens.at(item.token).empty());
  }
  CHECK(explored(subject, std::vector<std::string>(5, kPair)).sentences.size() == 5);
}

TEST_CASE("a Chinese sentence is taken if the vocabulary has it, and [UNK] is no repeated word") {
  const test::TinyDirectory directory("explorer_chinese");
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n我\n你\n他\n好\n在\n";
  for (char letter = 'a'; letter <= 'u'; ++letter) vocabulary += "x" + std::string(1, letter) + "\n";
  directory.write("vocab.txt", vocabulary);
  const auto chosen_of = [&](const std::string& corpus) {
    directory.write("corpus.txt", corpus);
    const auto subject = load_subject(directory.name(), std::filesystem::path(directory.name()) / "corpus.txt", 1);
    std::vector<std::string> texts;
    for (const auto& sentence : chosen_sentences(subject, {})) texts.push_back(sentence.why.en + ": " + sentence.text);
    return texts;
  };
  const auto without = chosen_of("? ? ? ? ? ? ?\nxa xb xc xd xe xf\n我你他好坏坏坏\n");
  REQUIRE(without.size() == 4);
  CHECK(without[0].starts_with("two texts of the corpus, as a pair: "));
  for (size_t i = 1; i < 4; ++i) CHECK(without[i].starts_with("of the corpus: "));
  const auto with = chosen_of("? ? ? ? ? ? ?\nxa xb xa xb xa xb\n我你他好在好\n我你他好坏坏坏\n");
  REQUIRE(with.size() == 4);
  CHECK(with[0].starts_with("two texts of the corpus, as a pair: "));
  CHECK(with[1] == "the same words at several positions: xa xb xa xb xa xb");
  CHECK(with[2] == "Chinese: 我 你 他 好 在 好");
}

TEST_CASE("the parts are those that `summand parts` prints") {
  const Subject subject = drawn_model();
  const auto exploration = explored(subject, {kPair});
  const auto& own = exploration.sentences[0].strengths[kUnchanged].parts;
  const auto encoding = subject.model->encode(given_sentences(std::vector{kPair})[0], {}, 40);
  const auto expected = api::parts_of(api::input_tables(*subject.model), subject.model->tokenizer(), encoding);
  REQUIRE(own.tokens.size() == 10);
  REQUIRE(expected.tokens.size() == 10);
  for (size_t i = 0; i < own.tokens.size(); ++i) {
    CHECK(own.tokens[i].token == expected.tokens[i].token);
    CHECK(own.tokens[i].segment == expected.tokens[i].segment);
    CHECK(own.tokens[i].centred_position_norm == doctest::Approx(expected.tokens[i].centred_position_norm));
    CHECK(own.tokens[i].share.token == doctest::Approx(expected.tokens[i].share.token));
    CHECK(own.tokens[i].share.position == doctest::Approx(expected.tokens[i].share.position));
  }
}

TEST_CASE("at another strength the shares are those of the sum with that much of the position part") {
  const Subject subject = drawn_model();
  const auto exploration = explored(subject, {kPair});
  const auto& sentence = exploration.sentences[0];
  const Table tokens = centred(subject.tokens);
  const Table positions = centred(subject.positions);
  for (size_t step = 0; step < kStrengths.size(); ++step) {
    for (size_t i = 0; i < sentence.items.size(); ++i) {
      const auto& [token, position, segment] = sentence.items[i];
      const Vector part = kStrengths[step] * positions.row(position).transpose();
      const Vector x = subject.tokens.row(token).transpose() + subject.segments.row(segment).transpose() +
                       positions_at(subject, kStrengths[step]).row(position).transpose();
      const auto codeviation = [](const Vector& a, const Vector& b) {
        return (a.array() - a.mean()).matrix().dot((b.array() - b.mean()).matrix());
      };
      const auto& share = sentence.strengths[step].parts.tokens[i].share;
      CHECK(share.position == doctest::Approx(codeviation(part, x) / codeviation(x, x)));
      CHECK(share.token == doctest::Approx(codeviation(tokens.row(token).transpose(), x) / codeviation(x, x)));
      CHECK(share.token + share.position + share.segment + share.common == doctest::Approx(1));
    }
  }
}

TEST_CASE("attention and sentence vectors at every strength are the reference's of the changed table") {
  const Subject subject = drawn_model();
  const auto exploration = explored(subject, {kPair, "aa ba aa"});
  REQUIRE(exploration.layers == 2);
  REQUIRE(exploration.heads == 4);
  for (size_t i = 0; i < 2; ++i) {
    const auto& sentence = exploration.sentences[i];
    const Vector unchanged = reference_of(subject, sentence, 1).vector;
    for (size_t step = 0; step < kStrengths.size(); ++step) {
      CAPTURE(kStrengths[step]);
      const auto expected = reference_of(subject, sentence, kStrengths[step]);
      const auto& own = sentence.strengths[step];
      REQUIRE(own.attention.size() == 8);
      for (size_t matrix = 0; matrix < 8; ++matrix) {
        CHECK(farthest(own.attention[matrix], expected.attention[matrix]) < kFloat);
        CHECK((own.attention[matrix].rowwise().sum().array() - 1).abs().maxCoeff() < kFloat);
      }
      CHECK(own.cosine == doctest::Approx(expected.vector.normalized().dot(unchanged.normalized())).epsilon(kFloat));
    }
    CHECK(sentence.strengths[0].cosine < 0.999);
  }
}

TEST_CASE("the logits' terms add up to what the first layer's attention is the softmax of") {
  const Subject subject = drawn_model();
  const auto exploration = explored(subject, {kPair});
  for (const auto& sentence : exploration.sentences) {
    REQUIRE(sentence.first_logits.size() == 4);
    for (size_t head = 0; head < 4; ++head) {
      const Table logits = sentence.first_logits[head].sum();
      Table softmax = (logits.colwise() - logits.rowwise().maxCoeff()).array().exp();
      softmax.array().colwise() /= softmax.rowwise().sum().array();
      CHECK(farthest(softmax, sentence.strengths[kUnchanged].attention[head]) < kFloat);
    }
  }
}

TEST_CASE("a sum is decoded as by a search through every combination, at every strength") {
  const auto sums = searched_sums(4, 60, 6);
  const StrengthDecoder decoder(sums.tokens, sums.positions, sums.segments, sums.items);
  size_t exact_at_one = 0;
  size_t wrong_elsewhere = 0;
  for (const double strength : kStrengths) {
    const auto decoded = decoder.decode(strength, Seen::sum, 2);
    for (size_t i = 0; i < sums.items.size(); ++i) {
      const Eigen::RowVectorXd x = sums.strengthened(sums.items[i], strength);
      const auto found = distances_by_search(sums, sums.items[i], [&](const auto& y) { return (x - y).norm(); });
      CHECK(decoded[i].margin * x.norm() == doctest::Approx(found.nearest - found.own).epsilon(1e-4));
      CHECK(decoded[i].exact == (found.own < found.nearest));
      exact_at_one += strength == 1 && decoded[i].exact ? 1 : 0;
      wrong_elsewhere += strength != 1 && !decoded[i].exact ? 1 : 0;
    }
  }
  CHECK(exact_at_one == sums.items.size());
  CHECK(wrong_elsewhere > 20);
}

TEST_CASE("behind normalisation too, every angle being compared, at every strength") {
  auto sums = searched_sums(5, 80, 8);
  sums.tokens.array() += 0.3;
  const StrengthDecoder decoder(sums.tokens, sums.positions, sums.segments, sums.items);
  const auto direction = [](const Eigen::RowVectorXd& x) -> Eigen::RowVectorXd {
    return (x.array() - x.mean()).matrix().normalized();
  };
  size_t wrong_at_one = 0;
  size_t wrong_at_zero = 0;
  for (const double strength : kStrengths) {
    const auto decoded = decoder.decode(strength, Seen::normalised, 2);
    for (size_t i = 0; i < sums.items.size(); ++i) {
      CAPTURE(strength);
      CAPTURE(i);
      const Eigen::RowVectorXd x = direction(sums.strengthened(sums.items[i], strength));
      const auto found =
          distances_by_search(sums, sums.items[i], [&](const auto& y) { return (x - direction(y)).norm(); });
      CHECK(decoded[i].margin == doctest::Approx(found.nearest - found.own).epsilon(1e-3).scale(1e-3));
      CHECK(decoded[i].exact == (found.own < found.nearest));
      wrong_at_one += strength == 1 && !decoded[i].exact ? 1 : 0;
      wrong_at_zero += strength == 0 && !decoded[i].exact ? 1 : 0;
    }
  }
  CHECK(wrong_at_one == 0);
  CHECK(wrong_at_zero > 60);
}

TEST_CASE("unambiguous sums are decoded as themselves, before and after normalisation, as by the decoder of all") {
  const Subject subject = drawn_model();
  const auto exploration = explored(subject, {kPair});
  const SumDecoder whole(subject.tokens, subject.positions, subject.segments);
  for (const auto& sentence : exploration.sentences) {
    const auto& own = sentence.strengths[kUnchanged].decoded;
    const auto expected = whole.decode(whole.seen(sentence.items, Seen::sum), sentence.items, Seen::sum, 1);
    const auto behind = whole.decode(whole.seen(sentence.items, Seen::normalised), sentence.items, Seen::normalised, 1);
    for (size_t i = 0; i < own.size(); ++i) {
      CHECK(own[i].exact);
      CHECK(own[i].other.token == expected[i].other.token);
      CHECK(own[i].other.position == expected[i].other.position);
      CHECK(std::abs(own[i].margin - expected[i].margin) < kMargin);
      const auto& normalised = sentence.strengths[kUnchanged].normalised;
      CHECK(normalised[i].exact);
      CHECK(normalised[i].other.token == behind[i].other.token);
      CHECK(std::abs(normalised[i].margin - behind[i].margin) < kMargin);
    }
  }
}

TEST_CASE("two positions have the cosine, product and logits of their rows") {
  const Subject subject = drawn_model();
  const auto pairs = explored(subject, {}).pairs;
  const Table rows = centred(subject.positions);
  REQUIRE(pairs.norms.size() == 40);
  CHECK(pairs.left_out == 0);
  double total = 0;
  for (Index m = 0; m + 5 < 40; ++m) {
    total += rows.row(m).dot(rows.row(m + 5));
    CHECK(pairs.cosines(m, m + 5) == doctest::Approx(rows.row(m).normalized().dot(rows.row(m + 5).normalized())));
    CHECK(pairs.norms[static_cast<size_t>(m)] == doctest::Approx(rows.row(m).norm()));
  }
  CHECK(pairs.products_by_distance[5] == doctest::Approx(total / 35));

  // The logit from the weights themselves: head 2 of 4, six rows of each.
  const auto& weights = subject.model->checkpoint().weights;
  const auto matrix = [&](const std::string& name, Index count) -> Table {
    const auto values = model::to_doubles(weights.at(name));
    return Eigen::Map<const Table>(values.data(), count, static_cast<Index>(values.size()) / count);
  };
  double inverse = 0;
  double tokens = 0;
  for (const auto& text : subject.corpus.sentences) {
    for (size_t t = 0; t < text.ids.size(); ++t) {
      const Vector x = (subject.tokens.row(text.ids[t]) + subject.positions.row(static_cast<Index>(t)) +
                        subject.segments.row(text.segments[t]))
                           .transpose();
      inverse += 1 / std::sqrt((x.array() - x.mean()).square().mean() + subject.model->config().layer_norm_eps);
      ++tokens;
    }
  }
  const Table gamma = matrix("embeddings.LayerNorm.weight", 1);
  const auto projected = [&](Index row, const std::string& name) -> Vector {
    const Vector input = inverse / tokens * (rows.row(row).array() - rows.row(row).mean()) * gamma.row(0).array();
    return matrix(model::layer_parameter(0, "attention.self." + name + ".weight"), 24).middleRows(12, 6) * input;
  };
  REQUIRE(pairs.first_logits.size() == 4);
  CHECK(pairs.first_logits[2](3, 17) ==
        doctest::Approx(projected(3, "query").dot(projected(17, "key")) / std::sqrt(6.0)));
}

TEST_CASE("a table alone has pairs of positions, no sentences, and says why") {
  Subject subject;
  RandomStream stream(2, "long table");
  subject.positions = white_noise({600, 8}, stream);
  const auto exploration = explore(subject, {}, 1);
  CHECK(exploration.sentences.empty());
  CHECK(exploration.no_sentences.en.find("position table alone") != std::string::npos);
  CHECK_FALSE(exploration.no_sentences.zh.empty());
  CHECK(exploration.pairs.norms.size() == 512);
  CHECK(exploration.pairs.left_out == 88);
  CHECK(exploration.pairs.first_logits.empty());
  const auto json = explorer_json(exploration);
  CHECK(json.at("sentences").empty());
  CHECK(json.at("/pairs/heads"_json_pointer).empty());
  CHECK(explorer_json({}).is_null());
}

namespace {

Subject subject_of(const model::Config& config) {
  const test::TinyDirectory directory("explorer_of_config");
  directory.write("config.json", model::to_json(config));
  io::write_safetensors(std::filesystem::path(directory.name()) / "model.safetensors",
                        test::random_weights(config, model::Pooler::absent, 3));
  return load_subject(directory.name(), std::nullopt, 1);
}

/// Every composition, and what else no plain sum of three tables is.
std::vector<model::Config> other_inputs() {
  const auto plain = test::config_of({.layers = 1, .positions = 24, .vocabulary = 31});
  std::vector<model::Config> configs;
  for (const auto& composition : model::typical_compositions(12)) {
    if (composition == model::Composition(model::Sum())) continue;
    auto& config = configs.emplace_back(plain);
    config.composition = composition;
    if (!std::holds_alternative<model::JointTable>(composition)) continue;
    config.position = model::NoPositions();
    config.segment = model::SegmentKind::none;
  }
  configs.emplace_back(plain).position = model::HierarchicalPositions{.sentences = 3, .ends = {6, 11}};
  configs.emplace_back(plain).position = model::NoPositions();
  configs.emplace_back(plain).segment = model::SegmentKind::none;
  configs.emplace_back(plain).normalise_input = false;
  configs.emplace_back(plain).per_layer_inputs.position = true;
  configs.emplace_back(plain).position_attention = model::Alibi();
  return configs;
}

/// The double-precision reference, whose position rows less their table's mean row are multiplied by a strength.
Reference strengthened_reference(const Subject& subject, const ExploredSentence& sentence, double strength) {
  Reference result;
  const auto mean = api::input_tables(*subject.model).position_mean;
  Watch<double> watch({model::TapPoint::position_part, model::TapPoint::attention},
                      [&](const model::TapSite& site, MatrixView<double> values) {
                        Table table(values.rows(), values.columns());
                        for (size_t i = 0; i < values.rows(); ++i) {
                          for (size_t j = 0; j < values.columns(); ++j) {
                            if (site.point == model::TapPoint::position_part) {
                              values(i, j) = mean[j] + strength * (values(i, j) - mean[j]);
                            }
                            table(static_cast<Index>(i), static_cast<Index>(j)) = values(i, j);
                          }
                        }
                        if (site.point == model::TapPoint::attention) result.attention.push_back(table);
                      });
  const reference::Bert<double> model(subject.model->config(), subject.model->checkpoint().weights);
  const auto output = model.run(batch_of(sentence), 0, &watch);
  const auto& states = output.hidden_states.back();
  result.vector = Vector::Zero(static_cast<Index>(states.columns()));
  for (size_t t = 0; t < states.rows(); ++t) {
    for (size_t d = 0; d < states.columns(); ++d) result.vector(static_cast<Index>(d)) += states(t, d);
  }
  return result;
}

}  // namespace

TEST_CASE("what is no sum of three tables has its parts, attention and cosines too, and the page says what it lacks") {
  for (const auto& config : other_inputs()) {
    CAPTURE(model::to_json(config));
    const Subject subject = subject_of(config);
    const auto exploration = explored(subject, {"a b f c ||| d g a"});
    const bool has_rows = !std::holds_alternative<model::NoPositions>(config.position);
    const bool has_pairs = has_rows && !std::holds_alternative<model::HierarchicalPositions>(config.position);
    REQUIRE(exploration.sentences.size() >= 1);
    CHECK(exploration.no_sentences.en.empty());
    CHECK(exploration.left_out.size() == (has_pairs ? 1 : 2));
    CHECK(exploration.pairs.norms.size() == (has_pairs ? 24 : 0));
    CHECK(exploration.pairs.first_logits.empty());
    CHECK(exploration.composition == model::name_of(config.composition));
    REQUIRE(exploration.strengths.size() == (has_rows ? kStrengths.size() : 1));
    CHECK(exploration.strengths[exploration.unchanged] == 1);
    const auto& sentence = exploration.sentences[0];
    CHECK(sentence.first_logits.empty());
    REQUIRE(sentence.items.back().segment == 1);
    const Vector unchanged = strengthened_reference(subject, sentence, 1).vector;
    for (size_t step = 0; step < exploration.strengths.size(); ++step) {
      CAPTURE(exploration.strengths[step]);
      const auto expected = strengthened_reference(subject, sentence, exploration.strengths[step]);
      const auto& own = sentence.strengths[step];
      CHECK(own.decoded.empty());
      REQUIRE(own.attention.size() == 3);
      for (size_t head = 0; head < 3; ++head) {
        CHECK(farthest(own.attention[head], expected.attention[head]) < kFloat);
      }
      CHECK(own.cosine == doctest::Approx(expected.vector.normalized().dot(unchanged.normalized())).epsilon(kFloat));
      for (const auto& token : own.parts.tokens) {
        const auto& share = token.share;
        CHECK(share.common + share.token + share.position + share.segment + share.together.value_or(0) ==
              doctest::Approx(1));
      }
    }
  }
}

TEST_CASE("the page holds gates, what two parts make together, and null where there are no pairs") {
  auto config = test::config_of({.layers = 1, .positions = 24, .vocabulary = 31});
  config.composition = model::VectorGate();
  const auto gated = explored(subject_of(config), {"a b ||| c"});
  const auto of_gates = explorer_json(gated);
  CHECK(of_gates.at("gates") == nlohmann::json({"token_gate", "position_gate", "segment_gate"}));
  const auto& strength = of_gates.at("/sentences/0/strengths/4"_json_pointer);
  REQUIRE(strength.at("gates").size() == 6);
  for (size_t gate = 0; gate < 3; ++gate) {
    CHECK(strength.at("gates")[2][gate].get<double>() ==
          doctest::Approx(gated.sentences[0].strengths[4].parts.tokens[2].gates[gate].mean).epsilon(1e-4));
  }
  CHECK(of_gates.at("parts").size() == 4);
  CHECK(of_gates.at("/sentences/0/terms"_json_pointer).empty());

  config.composition = model::JointTable();
  config.position = model::NoPositions();
  config.segment = model::SegmentKind::none;
  const auto of_joint = explorer_json(explored(subject_of(config), {"a b ||| c"}));
  CHECK(of_joint.at("pairs").is_null());
  CHECK(of_joint.at("gates").empty());
  CHECK(of_joint.at("parts").size() == 5);
  CHECK(of_joint.at("left_out").size() == 2);
  CHECK(of_joint.at("/sentences/0/strengths/0/shares/0"_json_pointer).size() == 5);
  CHECK(of_joint.at("/sentences/0/norms/0"_json_pointer).size() == 8);
}

TEST_CASE("a model without a layer has no sentences, and says why") {
  const auto exploration_of = [](const model::Config& config, const std::string& given) {
    return explored(subject_of(config), {given});
  };
  auto config = test::config_of({.layers = 0, .positions = 24, .vocabulary = 31});
  const auto without_layers = exploration_of(config, "a b");
  CHECK(without_layers.sentences.empty());
  CHECK(without_layers.no_sentences.en == "needs a layer: this model has none");
  CHECK(without_layers.pairs.first_logits.empty());
  // One layer, one segment: pairs alone are missing.
  config = test::config_of({.layers = 1, .positions = 24, .segments = 1, .vocabulary = 31});
  const auto small = exploration_of(config, "a b");
  REQUIRE(small.sentences.size() >= 1);
  CHECK(small.sentences[0].strengths[0].attention.size() == 3);
  for (const auto& sentence : small.sentences) CHECK(sentence.text_pair.empty());
  CHECK_THROWS_AS((void)exploration_of(config, "a ||| b"), UsageError);
}

namespace {

std::vector<uint8_t> bytes_of(const std::string& base64) {
  static const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uint8_t> bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(kDigits.find(c));
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<uint8_t>(bits >> (count -= 8) & 255));
  }
  return bytes;
}

double value_at(const nlohmann::json& codes, size_t at) {
  const auto bytes = bytes_of(codes.at("codes"));
  const bool two = codes.at("bytes") == 2;
  const int code = two ? bytes.at(2 * at) | bytes.at(2 * at + 1) << 8 : bytes.at(at);
  return codes.at("low").get<double>() + codes.at("step").get<double>() * code;
}

}  // namespace

TEST_CASE("the page holds every weight and every term to half a step of a byte") {
  const Subject subject = drawn_model();
  const auto exploration = explored(subject, {kPair});
  const auto json = explorer_json(exploration);
  CHECK(json.at("detail") == "every_head");
  const auto& sentence = exploration.sentences[0];
  const auto& written = json.at("sentences")[0];
  const size_t count = sentence.items.size();
  for (const size_t matrix : {0, 3, 7}) {
    const auto& codes = written.at("attention")[6];
    const double root = std::sqrt(sentence.strengths[6].attention[matrix](4, 7));
    const double own = value_at(codes, matrix * count * count + 4 * count + 7);
    CHECK(std::abs(own - root) <= codes.at("step").get<double>() / 2 + 1e-7);
  }
  const auto& codes = written.at("terms")[1][4 * 1 + 0];  // position → token
  CHECK(std::abs(value_at(codes, 2 * count + 5) - sentence.first_logits[1].at(LogitPart::position, LogitPart::token)(
                                                      2, 5)) <= codes.at("step").get<double>() / 2 + 1e-7);
  const auto& cosines = json.at("/pairs/cosines"_json_pointer);
  CHECK(std::abs(value_at(cosines, 40 + 39 + 3) - exploration.pairs.cosines(2, 5)) < 1e-4);
  CHECK(written.at("strengths")[kUnchanged].at("decoded")[0][3].get<double>() > 0);
  CHECK(written.at("strengths")[0].at("normalised")[1][3].get<double>() < 0);
  CHECK(written.at("special") == nlohmann::json(sentence.special));
  CHECK(json.at("left_out").empty());
  CHECK(json.at("parts").size() == 4);
  for (size_t step = 0; step < kStrengths.size(); ++step) {
    const auto& parts = sentence.strengths[step].parts;
    const auto share = parts.share_without_special.value_or(parts.share_between_tokens);
    CHECK(written.at("strengths")[step].at("over_text")[1].get<double>() ==
          doctest::Approx(share.position).epsilon(1e-4));
  }
}

TEST_CASE("many heads and sentences leave means over heads at other strengths, and a page below its limit") {
  const Subject subject = drawn_model();
  auto exploration = explored(subject, std::vector<std::string>(kMostGiven, kLong));
  // As bert-base: twelve layers of twelve heads.
  exploration.layers = exploration.heads = 12;
  for (auto& sentence : exploration.sentences) {
    sentence.first_logits.resize(12, sentence.first_logits[0]);
    for (auto& strength : sentence.strengths) strength.attention.resize(144, strength.attention[0]);
  }
  const auto json = explorer_json(exploration);
  CHECK(json.at("detail") == "means");
  CHECK(json.dump().size() < 2'500'000);
  exploration.sentences.resize(1);
  const auto one = explorer_json(exploration);
  CHECK(one.at("detail") == "first_layer");
  const size_t cells = kExploredTokens * kExploredTokens;
  CHECK(bytes_of(one.at("sentences")[0].at("attention")[0].at("codes")).size() == (12 + 11) * cells);
  CHECK(bytes_of(one.at("sentences")[0].at("attention")[kUnchanged].at("codes")).size() == 144 * cells);
  // The mean over heads of the last layer stands last.
  const auto& codes = one.at("sentences")[0].at("attention")[2];
  double mean = 0;
  for (size_t head = 0; head < 12; ++head) {
    mean += exploration.sentences[0].strengths[2].attention[11 * 12 + head](1, 2) / 12;
  }
  CHECK(std::abs(value_at(codes, 22 * cells + kExploredTokens + 2) - std::sqrt(mean)) <=
        codes.at("step").get<double>() / 2 + 1e-7);
}
