// The public door's taps: what a program sees there is what the readable reference computes, and what it leaves there
// is what the model goes on with.
#include "summand/taps.hpp"
#include "io/safetensors_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/matrix.hpp"
#include "engine/engine.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "reference/bert.hpp"
#include "summand/summand.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using test::TinyDirectory;

namespace {

constexpr std::array kPoints{TapPoint::token_part,   TapPoint::position_part, TapPoint::segment_part,
                             TapPoint::sum,          TapPoint::input,         TapPoint::query,
                             TapPoint::key,          TapPoint::value,         TapPoint::scores,
                             TapPoint::attention,    TapPoint::context,       TapPoint::attention_output,
                             TapPoint::intermediate, TapPoint::layer_output};
const std::vector<TapPoint> kAll(kPoints.begin(), kPoints.end());

/// What the engine promises against double precision of normalised states, which are of the order of one.
constexpr double kTolerance = kVerifyTolerance;
/// Raw numbers inside a layer and logits are sums over the width of such states.
constexpr double kInnerTolerance = 10 * kVerifyTolerance;

constexpr const char* kPositions = "embeddings.position_embeddings.weight";
constexpr size_t kSeed = 1;

/// Different lengths: letters, nothing, a pair, unknown words, and the 24 positions that the model has, to the last.
const std::vector<Text> kTexts{"a b c", "", {"x y", "z"}, "? q ?", "a b c d e f g h i j k l m n o p q r s t u v"};

const model::ModelParts kEncoder{.pooler = model::Pooler::present};

model::Config tiny_config() {
  return test::config_of({.positions = 24, .vocabulary = 31});
}

/// A tiny checkpoint whose position table is zeros, with the other weights of TinyDirectory.
class WithoutPositions : public TinyDirectory {
 public:
  explicit WithoutPositions(const std::string& name, const model::ModelParts& parts,
                            const model::Config& config = tiny_config())
      : TinyDirectory(name, kSeed, parts) {
    write("config.json", model::to_json(config));
    auto weights = test::random_weights(config, parts, kSeed);
    const auto shape = weights.at(kPositions).shape;
    weights.set(kPositions, model::make_tensor(shape, std::vector<float>(shape[0] * shape[1])));
    io::write_safetensors(this->name() + "/model.safetensors", weights);
  }
};

void clear(MatrixView<float> values) {
  for (size_t row = 0; row < values.rows(); ++row) std::ranges::fill(values.row(row), 0.0F);
}

Taps clearing_positions() {
  return {.points = {TapPoint::position_part}, .visit = [](const Taps::Site&, MatrixView<float> rows) { clear(rows); }};
}

Taps ignoring(std::vector<TapPoint> points) {
  return {.points = std::move(points), .visit = [](const Taps::Site&, MatrixView<float>) {}};
}

/// One visit, kept.
template <class Scalar>
struct Seen {
  Taps::Site site;
  Matrix<Scalar> values;
};

template <class Scalar>
Matrix<std::remove_const_t<Scalar>> copy_of(MatrixView<Scalar> values) {
  Matrix<std::remove_const_t<Scalar>> copy(values.rows(), values.columns());
  for (size_t row = 0; row < values.rows(); ++row) std::ranges::copy(values.row(row), copy.row(row).begin());
  return copy;
}

Taps keeping(std::vector<TapPoint> points, std::vector<Seen<float>>& seen) {
  return {.points = std::move(points), .visit = [&seen](const Taps::Site& site, MatrixView<float> values) {
            seen.push_back({site, copy_of(values)});
          }};
}

/// Keeps every visit of the reference, its layers counted as hidden states.
class ReferenceTaps : public model::Taps<double> {
 public:
  [[nodiscard]] bool wants(TapPoint) const override { return true; }
  void visit(const model::TapSite& site, MatrixView<double> values) override {
    const bool in_layer = std::ranges::find(kPoints, site.point) > std::ranges::find(kPoints, TapPoint::input);
    const summand::Taps::Site counted{
        .point = site.point, .layer = in_layer ? site.layer + 1 : 0, .head = site.head, .text = site.text};
    seen.push_back({counted, copy_of(values)});
  }
  std::vector<Seen<double>> seen;
};

/// Moves some elements of the second layer: in its last head, or in the whole layer where a point has no heads.
class Moving : public model::Taps<double> {
 public:
  explicit Moving(TapPoint point) : point_(point) {}
  [[nodiscard]] bool wants(TapPoint point) const override { return point == point_; }
  void visit(const model::TapSite& site, MatrixView<double> values) override { move(site.layer, site.head, values); }
  /// @param layer  from 0
  void move(size_t layer, size_t head, auto values) const {
    const bool has_heads = point_ == TapPoint::scores || point_ == TapPoint::attention;
    if (layer != 1 || (has_heads && head != 2)) return;
    for (size_t row = 0; row < values.rows(); row += 2) values(row, 1) += 0.5F;
  }

 private:
  TapPoint point_;
};

model::Batch batch_of(const Model& model, const std::vector<Text>& texts) {
  model::Batch batch;
  for (const auto& text : texts) {
    const auto encoding = model.tokenize(text);
    batch.add(encoding.ids, encoding.segments);
  }
  return batch;
}

template <class A, class B>
double difference(const Matrix<A>& a, const Matrix<B>& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.columns() == b.columns());
  double worst = 0;
  for (size_t i = 0; i < a.elements().size(); ++i) {
    const double apart = std::abs(static_cast<double>(a.elements()[i]) - static_cast<double>(b.elements()[i]));
    worst = apart <= worst ? worst : apart;  // NaN becomes the worst
  }
  return worst;
}

double difference(const HiddenStates& a, const HiddenStates& b) {
  double worst = difference(a.pooled, b.pooled);
  for (size_t i = 0; i < a.states.size(); ++i) worst = std::max(worst, difference(a.states[i], b.states[i]));
  return worst;
}

bool same_bits(const HiddenStates& a, const HiddenStates& b) {
  const auto same = [](const auto& x, const auto& y) { return std::ranges::equal(x.elements(), y.elements()); };
  return same(a.pooled, b.pooled) && std::ranges::equal(a.states, b.states, same);
}

}  // namespace

TEST_CASE("at every point, in the order of the pass, a tap sees what the reference in double computes") {
  const TinyDirectory directory("taps_see", kSeed, kEncoder);
  const auto model = Model::load(directory.name(), {.threads = 2});
  std::vector<Seen<float>> seen;
  const auto states = model.hidden(kTexts, {.taps = keeping(kAll, seen)});

  const auto batch = batch_of(model, kTexts);
  REQUIRE(batch.length(1) == 2);   // [CLS] [SEP]
  REQUIRE(batch.length(4) == 24);  // to the last position
  const reference::Bert<double> bert(tiny_config(), test::random_weights(tiny_config(), kEncoder, kSeed));
  ReferenceTaps taps;
  for (size_t text = 0; text < batch.texts(); ++text) (void)bert.run(batch, text, &taps);

  REQUIRE(seen.size() == taps.seen.size());
  REQUIRE(seen.size() == kTexts.size() * (5 + 2 * (7 + 2 * 3)));  // two layers of three heads
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto& [site, values] = seen[i];
    const auto& [want, wanted] = taps.seen[i];
    INFO("visit ", i, ", point ", static_cast<int>(site.point));
    CHECK(site.point == want.point);
    CHECK(site.layer == want.layer);
    CHECK(site.head == want.head);
    CHECK(site.text == want.text);
    CHECK(site.window == 0);
    CHECK(site.tokens == Range{states.offsets[site.text], states.offsets[site.text + 1]});
    CHECK(difference(values, wanted) <= kInnerTolerance);
  }
}

TEST_CASE("inputs and layer outputs are the hidden states, attention sums to one, and the parts to the sum") {
  const TinyDirectory directory("taps_agree");
  const auto model = Model::load(directory.name());
  std::vector<Seen<float>> seen;
  const auto states = model.hidden(kTexts, {.taps = keeping(kAll, seen)});
  size_t compared = 0;
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto& [site, values] = seen[i];
    if (site.point == TapPoint::input || site.point == TapPoint::layer_output) {
      const auto state = states.of_text(site.text, site.layer);
      REQUIRE(state.rows() == values.rows());
      for (size_t row = 0; row < state.rows(); ++row) CHECK(std::ranges::equal(state.row(row), values.row(row)));
      ++compared;
    }
    if (site.point == TapPoint::attention) {
      for (size_t row = 0; row < values.rows(); ++row) {
        double sum = 0;
        for (const float weight : values.row(row)) sum += weight;
        CHECK(sum == doctest::Approx(1).epsilon(1e-6));
      }
      ++compared;
    }
    if (site.point == TapPoint::sum) {
      for (size_t element = 0; element < values.elements().size(); ++element) {
        const auto part = [&](size_t back) { return seen[i - back].values.elements()[element]; };
        CHECK(values.elements()[element] == (part(3) + part(1)) + part(2));  // Hugging Face's order
      }
      ++compared;
    }
  }
  CHECK(compared == kTexts.size() * (1 + 2 + 2 * 3 + 1));
}

TEST_CASE("taps that change nothing differ from no taps by rounding, and writing the same values back by no bit") {
  const TinyDirectory directory("taps_nothing");
  const auto model = Model::load(directory.name());
  const auto watched = model.hidden(kTexts, {.taps = ignoring(kAll)});
  CHECK(difference(watched, model.hidden(kTexts)) <= kTolerance);
  const auto write_back = [](const Taps::Site&, MatrixView<float> values) {
    const auto copy = copy_of(values);
    for (size_t row = 0; row < values.rows(); ++row) std::ranges::copy(copy.row(row), values.row(row).begin());
  };
  CHECK(same_bits(model.hidden(kTexts, {.taps = {kAll, write_back}}), watched));
  for (const auto point : kPoints) CHECK(same_bits(model.hidden(kTexts, {.taps = ignoring({point})}), watched));
}

TEST_CASE("with taps a text has the same bits alone and beside others, on 1 thread and on 2") {
  const TinyDirectory directory("taps_bits");
  const auto one = Model::load(directory.name(), {.threads = 1});
  const auto two = Model::load(directory.name(), {.threads = 2});
  const auto together = one.hidden(kTexts, {.taps = clearing_positions()});
  CHECK(same_bits(two.hidden(kTexts, {.taps = clearing_positions()}), together));
  for (size_t text = 0; text < kTexts.size(); ++text) {
    const auto alone = two.hidden(kTexts[text], {.taps = clearing_positions()});
    for (size_t layer = 0; layer < alone.layers.size(); ++layer) {
      const auto rows = together.of_text(text, layer);
      REQUIRE(rows.rows() == alone.states[layer].rows());
      for (size_t row = 0; row < rows.rows(); ++row) {
        CHECK(std::ranges::equal(rows.row(row), alone.states[layer].row(row)));
      }
    }
  }
}

TEST_CASE("position rows replaced by zeros give what a checkpoint without them gives") {
  const TinyDirectory directory("taps_zeros", kSeed, kEncoder);
  const WithoutPositions edited("taps_edited", kEncoder);
  const auto model = Model::load(directory.name());
  const auto changed = model.hidden(kTexts, {.taps = clearing_positions()});
  CHECK(difference(changed, Model::load(edited.name()).hidden(kTexts)) <= kTolerance);
  CHECK(difference(changed, model.hidden(kTexts)) > 0.1);
}

TEST_CASE("what is left at a point of one layer or one head is what the reference goes on with too") {
  const TinyDirectory directory("taps_one_layer", kSeed, kEncoder);
  const auto model = Model::load(directory.name());
  const reference::Bert<double> bert(tiny_config(), test::random_weights(tiny_config(), kEncoder, kSeed));
  const auto batch = batch_of(model, kTexts);
  const auto plain = model.hidden(kTexts);
  for (const auto point :
       {TapPoint::query, TapPoint::key, TapPoint::value, TapPoint::scores, TapPoint::attention, TapPoint::context,
        TapPoint::attention_output, TapPoint::intermediate, TapPoint::layer_output}) {
    INFO("point ", static_cast<int>(point));
    Moving reference_taps(point);
    const auto change = [&](const Taps::Site& site, MatrixView<float> values) {
      reference_taps.move(site.layer - 1, site.head, values);
    };
    const auto changed = model.hidden(kTexts, {.taps = {{point}, change}});
    for (size_t text = 0; text < batch.texts(); ++text) {
      const auto want = bert.run(batch, text, &reference_taps).hidden_states[2];
      CHECK(difference(copy_of(changed.of_text(text, 2)), want) <= kTolerance);
    }
    CHECK(difference(changed.states[1], plain.states[1]) <= kTolerance);
    CHECK(difference(changed.states[2], plain.states[2]) > 1e-4);
  }
}

TEST_CASE("sentence vectors take taps, texts and tokens counted over the whole call, however it is batched") {
  const TinyDirectory directory("taps_embed", kSeed, kEncoder);
  const WithoutPositions edited("taps_embed_edited", kEncoder);
  const auto model = Model::load(directory.name());
  const auto want = Model::load(edited.name()).embed(kTexts).vectors;
  CHECK(difference(model.embed(kTexts, {.taps = clearing_positions()}).vectors, want) <= kTolerance);
  CHECK(difference(model.embed(kTexts).vectors, want) > 0.01);
  CHECK(model.embed(kTexts, {.taps = clearing_positions()}).threads == 1);
  const auto offsets = model.hidden(kTexts).offsets;
  for (const size_t batch_tokens : {1, 9, 1000}) {
    std::vector<Seen<float>> seen;
    size_t next = 0;
    const auto give = [&]() -> std::optional<Text> {
      if (next == kTexts.size()) return std::nullopt;
      return kTexts[next++];
    };
    (void)model.embed_stream(give, [](const Embeddings&) {}, {.taps = keeping({TapPoint::sum}, seen)},
                             {.batch_tokens = batch_tokens});
    REQUIRE(seen.size() == kTexts.size());
    for (size_t text = 0; text < seen.size(); ++text) {
      CHECK(seen[text].site.text == text);
      CHECK(seen[text].site.tokens == Range{offsets[text], offsets[text + 1]});
      CHECK(seen[text].values.rows() == seen[text].site.tokens.size());
    }
  }
}

TEST_CASE("a text that is divided has a visit for each window") {
  const TinyDirectory directory("taps_windows", kSeed, kEncoder);
  const WithoutPositions edited("taps_windows_edited", kEncoder);
  const auto model = Model::load(directory.name());
  const std::vector<Text> texts{"a", "a b c d e f g h i", "z y"};
  const EmbedOptions divided{.length = {.max_length = 6}, .windows = WindowOptions()};
  auto watched = divided;
  std::vector<Seen<float>> seen;
  watched.taps = keeping({TapPoint::input}, seen);
  (void)model.embed(texts, watched);
  std::vector<std::pair<size_t, size_t>> places;
  std::vector<size_t> begins;
  for (const auto& [site, values] : seen) {
    places.emplace_back(site.text, site.window);
    begins.push_back(site.tokens.begin);
  }
  CHECK(places == std::vector<std::pair<size_t, size_t>>{{0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 0}});
  CHECK(begins == std::vector<size_t>{0, 3, 9, 15, 18});
  auto changed = divided;
  changed.taps = clearing_positions();
  CHECK(difference(model.embed(texts, changed).vectors, Model::load(edited.name()).embed(texts, divided).vectors) <=
        kTolerance);
}

TEST_CASE("masks, pairs and labels are those of a checkpoint without positions, where the taps take these out") {
  const model::ModelParts parts{.pooler = model::Pooler::present,
                                .heads = {Head::masked_language, Head::next_sentence, Head::sequence_classification}};
  const TinyDirectory directory("taps_heads", kSeed, parts);
  const WithoutPositions edited("taps_heads_edited", parts);
  const auto model = Model::load(directory.name());
  const auto want = Model::load(edited.name());
  const std::vector<Text> masked{"a [MASK] c", "d e f [MASK]"};
  const FillMaskOptions one{.top = 1, .targets = {7}};
  auto one_changed = one;
  one_changed.taps = clearing_positions();
  const std::vector<Text> pairs{{"a b", "c"}, {"x", "y z"}};
  for (size_t text = 0; text < 2; ++text) {
    const auto score = [text](const FilledTexts& filled) { return filled.texts[text][0].fillings[0].score; };
    const double wanted_score = score(want.fill_mask(masked, one));
    CHECK(std::abs(score(model.fill_mask(masked, one_changed)) - wanted_score) <= kInnerTolerance);
    CHECK(std::abs(score(model.fill_mask(masked, one)) - wanted_score) > 10 * kInnerTolerance);

    const auto is_next = [text](const NextSentences& sentences) { return sentences.pairs[text].logits[0]; };
    const double wanted_next = is_next(want.next_sentence(pairs));
    CHECK(std::abs(is_next(model.next_sentence(pairs, {}, clearing_positions())) - wanted_next) <= kInnerTolerance);
    CHECK(std::abs(is_next(model.next_sentence(pairs)) - wanted_next) > 10 * kInnerTolerance);

    const auto label = [text](const ClassifiedTexts& texts) {
      const auto& labels = texts.texts[text];
      return std::ranges::find(labels, "LABEL_0", &LabelScore::label)->logit;
    };
    const double wanted_label = label(want.classify(pairs, {.top = 2}));
    CHECK(std::abs(label(model.classify(pairs, {.top = 2, .taps = clearing_positions()})) - wanted_label) <=
          kInnerTolerance);
    CHECK(std::abs(label(model.classify(pairs, {.top = 2})) - wanted_label) > 10 * kInnerTolerance);
  }
}

TEST_CASE("tags are those of a checkpoint without positions, where the taps take these out") {
  const model::ModelParts parts{.heads = {Head::token_classification}};
  const TinyDirectory directory("taps_tag", kSeed, parts);
  const WithoutPositions edited("taps_tag_edited", parts);
  const auto model = Model::load(directory.name());
  const TagOptions each{.aggregation = Aggregation::none};
  auto changed = each;
  changed.taps = clearing_positions();
  const auto scores = [](const TaggedTexts& tagged) {
    std::vector<double> all;
    for (const auto& tag : tagged.texts[0]) all.push_back(tag.label == "LABEL_0" ? tag.score : 1 - tag.score);
    return Matrix<double>(1, all.size(), all);
  };
  const auto want = scores(Model::load(edited.name()).tag("a b c d", each));
  REQUIRE(want.columns() == 4);
  CHECK(difference(scores(model.tag("a b c d", changed)), want) <= kInnerTolerance);
  CHECK(difference(scores(model.tag("a b c d", each)), want) > 10 * kInnerTolerance);
}

TEST_CASE("passages are the texts of a reranker's taps") {
  const model::ModelParts parts{.pooler = model::Pooler::present, .heads = {Head::sequence_classification}};
  auto config = tiny_config();
  config.labels = model::numbered_labels(1);
  const TinyDirectory directory("taps_rerank", kSeed, parts);
  directory.write("config.json", model::to_json(config));
  io::write_safetensors(directory.name() + "/model.safetensors", test::random_weights(config, parts, kSeed));
  const WithoutPositions edited("taps_rerank_edited", parts, config);
  const auto model = Model::load(directory.name());
  const auto want = Model::load(edited.name()).rerank("a", {"b c", "x y z"});
  const auto got = model.rerank("a", {"b c", "x y z"}, {.taps = clearing_positions()});
  for (size_t i = 0; i < 2; ++i) {
    CHECK(got.passages[i].index == want.passages[i].index);
    CHECK(std::abs(got.passages[i].logit - want.passages[i].logit) <= kInnerTolerance);
  }
  std::vector<Seen<float>> seen;
  (void)model.rerank("a", {"b c", "x y z"}, {.taps = keeping({TapPoint::segment_part}, seen)});
  REQUIRE(seen.size() == 2);
  CHECK(seen[1].site.text == 1);
  CHECK(seen[1].values.rows() == 7);  // [CLS] a [SEP] x y z [SEP]
  // Segment 1 begins with the passage.
  CHECK(std::ranges::equal(seen[1].values.row(0), seen[1].values.row(2)));
  CHECK_FALSE(std::ranges::equal(seen[1].values.row(0), seen[1].values.row(3)));
}

TEST_CASE("what a tap throws comes out of the call, which leaves the model as it was") {
  const TinyDirectory directory("taps_throw");
  const auto model = Model::load(directory.name(), {.threads = 2});
  struct Own {};
  const auto before = model.hidden(kTexts);
  for (const auto point : kPoints) {
    const Taps throwing{{point}, [](const Taps::Site& site, MatrixView<float>) {
                          if (site.text == 2) throw Own();
                        }};
    CHECK_THROWS_AS((void)model.hidden(kTexts, {.taps = throwing}), Own);
    CHECK_THROWS_AS((void)model.embed(kTexts, {.taps = throwing}), Own);
  }
  CHECK(same_bits(model.hidden(kTexts), before));
}

TEST_CASE("a tap may call the model itself") {
  const TinyDirectory directory("taps_inside");
  const auto model = Model::load(directory.name(), {.threads = 2});
  const auto want = model.hidden("a b c");
  size_t calls = 0;
  const Taps calling{{TapPoint::context}, [&](const Taps::Site&, MatrixView<float>) {
                       CHECK(same_bits(model.hidden("a b c"), want));
                       ++calls;
                     }};
  CHECK(same_bits(model.hidden(kTexts, {.taps = calling}), model.hidden(kTexts, {.taps = ignoring(kAll)})));
  CHECK(calls == 2 * kTexts.size());
}

TEST_CASE("taps of half, of no known point, or for a model that is not in fp32 are refused, with no text as well") {
  const TinyDirectory directory("taps_refused");
  const auto model = Model::load(directory.name());
  const auto hidden = [](const Model& of, const Taps& taps) { (void)of.hidden(std::vector<Text>(), {.taps = taps}); };
  CHECK_THROWS_WITH_AS(hidden(model, {.points = {TapPoint::sum}}),
                       "[taps] expected a function for the points, got none", UsageError);
  CHECK_THROWS_WITH_AS(hidden(model, ignoring({})), "[taps] expected at least one point for the function, got none",
                       UsageError);
  CHECK_THROWS_WITH_AS(hidden(model, ignoring({static_cast<TapPoint>(99)})),
                       "[TapPoint] expected one of its named values, got 99", UsageError);
  CHECK_NOTHROW(hidden(model, ignoring({TapPoint::sum})));
  CHECK_NOTHROW(hidden(model, {}));
  const auto& set = engine::chosen_kernel_set();
  if (engine::runs(engine::Precision::bf16, set)) {
    const auto bf16 = Model::load(directory.name(), {.precision = Precision::bf16});
    CHECK_THROWS_WITH_AS(hidden(bf16, ignoring({TapPoint::sum})),
                         "[taps] expected a model that computes in fp32, got bf16", UsageError);
    CHECK_THROWS_AS((void)bf16.embed("a", {.taps = ignoring({TapPoint::sum})}), UsageError);
    CHECK_NOTHROW(hidden(bf16, {}));
  }
  if (engine::runs(engine::Precision::int8, set)) {
    const auto int8 = Model::load(directory.name(), {.precision = Precision::int8});
    CHECK_THROWS_AS(hidden(int8, ignoring({TapPoint::sum})), UsageError);
    CHECK_THROWS_AS((void)int8.next_sentence(std::vector<Text>(), {}, ignoring({TapPoint::sum})), UsageError);
  }
}
