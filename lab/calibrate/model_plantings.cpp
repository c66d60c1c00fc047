// Small checkpoints of which it is known what their encoder makes of tokens, positions and segments.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "lab/calibrate/circle_heads.hpp"
#include "lab/calibrate/draws.hpp"
#include "lab/calibrate/planting.hpp"
#include "lab/calibrate/word_classes.hpp"
#include "lab/plant/small_model.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "model/heads.hpp"

namespace summand::lab {

namespace planted_models {
namespace {

using Eigen::Index;
using Change = std::function<void(SmallModel&, RandomStream&)>;
using Corpus = std::function<std::vector<SmallText>(RandomStream&)>;

constexpr Range kTiny{.low = 0.02, .high = 0.2};
constexpr Range kHuge{.low = 1.5, .high = 5};
constexpr Range kNextToNothing{.low = 0.0002, .high = 0.002};
constexpr Range kNarrow{.low = 1, .high = 6};
constexpr Range kWider{.low = 20, .high = 40};
constexpr Range kBeside{.low = 0.001, .high = 0.01};
constexpr Range kInputs{.low = 0.05, .high = 1.5};  // which no verdict may depend on
constexpr Range kAlike{.low = 2, .high = 5};
constexpr Range kRepeated{.low = 2, .high = 4};
constexpr Range kUneven{.low = 1.3, .high = 1.6};
constexpr Range kFarFromZero{.low = 30, .high = 80};
constexpr Range kCirclesRead{.low = 3, .high = 4};
constexpr Range kMatters{.low = 0.5, .high = 1.5};
constexpr Range kWeak{.low = 0.02, .high = 0.2};

constexpr SmallSizes kUsual{};
constexpr SmallSizes kWide{.hidden = 48, .positions = 64};
constexpr SmallSizes kOfAttention{.hidden = 64, .positions = 48};

Planting of_model(
    std::string name, FormatArgs ranges, std::vector<PlantedTruth> truths, SmallSizes sizes, Change change,
    Corpus corpus = [](RandomStream& stream) { return random_texts({}, stream); }) {
  return {.name = std::move(name),
          .ranges = std::move(ranges),
          .truths = std::move(truths),
          .plant = [sizes = std::move(sizes), change = std::move(change),
                    corpus = std::move(corpus)](RandomStream& stream) {
            SmallModel model(sizes, stream);
            change(model, stream);
            return model.subject(corpus(stream));
          }};
}

SmallSizes with_head(model::Decoder decoder) {
  SmallSizes sizes = kUsual;
  sizes.parts = {.heads = {model::Head::masked_language}, .decoder = decoder};
  return sizes;
}

void zero(SmallModel& model, std::string_view ending) {
  model.change(ending, [](Table& table) { table.setZero(); });
}
void identity(SmallModel& model, std::string_view ending) {
  model.change(ending, [](Table& table) { table.setIdentity(); });
}

Change positions_times(const Range& range) {
  return [range](SmallModel& model, RandomStream& stream) {
    const double factor = range.draw_factor(stream);
    model.put_positions(factor * model.positions());
  };
}

// 4.9

/// The normalisation takes the length of what is the whole sum. Rows have no mean of their own: deviations from it are
/// all there is.
void nothing_but_positions(SmallModel& model, RandomStream& stream) {
  model.put_tokens(kNextToNothing.draw_factor(stream) * model.tokens());
  model.put_segments(0 * model.segments());
  model.put_positions(centred(model.positions()));
}

// 4.10

Change of_rank(const Range& range) {
  return [range](SmallModel& model, RandomStream& stream) {
    const size_t rank = range.draw_whole(stream);
    const Table positions = model.positions();
    const auto rows = static_cast<size_t>(positions.rows());
    const auto columns = static_cast<size_t>(positions.cols());
    const Table scores = white_noise({rows, rank}, stream);
    const Table directions = white_noise({rank, columns}, stream);
    const double beside = kBeside.draw_factor(stream);
    model.put_positions(scores * directions / std::sqrt(static_cast<double>(rank)) +
                        beside * white_noise({rows, columns}, stream));
  };
}

// Q1

Change inputs_times(const Range& range) {
  return [range](SmallModel& model, RandomStream& stream) {
    const double factor = range.draw_factor(stream);
    model.change("embeddings.LayerNorm.weight", [&](Table& weight) { weight.setConstant(factor); });
    zero(model, "embeddings.LayerNorm.bias");
  };
}

/// Most of every token row is one vector: products of different words are nearly as large as a word's own.
void alike_words(SmallModel& model, RandomStream& stream) {
  const Table tokens = model.tokens();
  const auto width = static_cast<size_t>(tokens.cols());
  const Table common = random_frame(1, width, stream) * tokens.rowwise().norm().mean() * kAlike.draw(stream);
  model.put_tokens(tokens.rowwise() + common.row(0));
  inputs_times(kInputs)(model, stream);
}

/// Each text says two to four words over and over; positions hardly tell them apart.
std::vector<SmallText> repeated_words(RandomStream& stream) {
  std::vector<SmallText> corpus(40);
  for (auto& text : corpus) {
    const size_t different = kRepeated.draw_whole(stream);
    const size_t first = stream.below(kSmallWords);
    for (size_t i = 0; i < 12; ++i) text.first.push_back((first + i % different) % kSmallWords);
  }
  return corpus;
}

// Q4

std::vector<SmallText> topics(RandomStream& stream) {
  return topic_texts(36, 14, stream);
}

/// All words get the same weight, and keep themselves beside it: [CLS], which is no word, is the fairest.
void even_attention(SmallModel& model, RandomStream& stream) {
  zero(model, "attention.self.query.weight");
  zero(model, "attention.self.query.bias");
  identity(model, "attention.self.value.weight");
  zero(model, "attention.self.value.bias");
  identity(model, "attention.output.dense.weight");
  model.change("output.dense.weight", [](Table& table) {
    if (table.rows() != table.cols()) table.setZero();
  });
  Table tokens =
      white_noise({static_cast<size_t>(model.tokens().rows()), static_cast<size_t>(model.tokens().cols())}, stream);
  tokens.rowwise().normalize();
  model.put_tokens(std::sqrt(static_cast<double>(tokens.cols()) / 2) * tokens);
  const double weak = kWeak.draw_factor(stream);
  model.put_positions(weak * model.positions());
  model.put_segments(weak * model.segments());
}

/// Everybody looks at position 1 alone: [CLS] is made of one word.
void attention_to_one_word(SmallModel& model, RandomStream& stream) {
  even_attention(model, stream);
  constexpr double kMark = 6;
  Table positions = 0 * model.positions();
  positions(1, 0) = kMark;
  model.put_positions(positions);
  const double strength = kHuge.draw(stream);
  model.change("attention.self.query.bias", [](Table& table) { table.setOnes(); });
  zero(model, "attention.self.key.bias");
  model.change("attention.self.key.weight", [&](Table& table) {
    table.setZero();
    table.col(0).setConstant(strength);
  });
  // Words stay themselves, so that their mean can find halves.
  model.change("attention.output.dense.weight", [](Table& table) { table *= 0.2; });
}

// Q7

/// Normalisations that divide every token by the same number, √ε.
void affine_normalisations(SmallModel& model, RandomStream&) {
  model.config().layer_norm_eps = 1e6;
  model.change("LayerNorm.weight", [](Table& table) { table *= 1e3; });
}

void uneven_words(SmallModel& model, RandomStream& stream) {
  const double factor = kUneven.draw(stream);
  Table tokens = model.tokens();
  for (Index row = static_cast<Index>(kSpecialTokens); row < tokens.rows(); ++row) {
    tokens.row(row) *= std::pow(factor, static_cast<double>(row % 20));
  }
  model.put_tokens(tokens);
}

/// GELU of numbers far above 0 is the identity.
void affine_activation(SmallModel& model, RandomStream& stream) {
  const double far = kFarFromZero.draw(stream);
  model.change("intermediate.dense.bias", [&](Table& table) { table.array() += far; });
}

}  // namespace
}  // namespace planted_models

std::vector<Planting> model_plantings() {
  using namespace planted_models;
  std::vector<Planting> list;
  const auto add = [&](Planting planting) { list.push_back(std::move(planting)); };
  add(of_model("positions_tiny", kTiny.args(), {{"4.2", true}}, kUsual, positions_times(kTiny)));
  add(of_model("positions_huge", kHuge.args(), {{"4.2", false}}, kUsual, positions_times(kHuge)));
  add(of_model("nothing_but_positions", kNextToNothing.args(), {{"4.9", true}}, kUsual, nothing_but_positions));
  add(of_model("random_model", {}, {{"4.9", false}}, kUsual, [](SmallModel&, RandomStream&) {}));
  add(of_model("narrow_positions", kNarrow.args(), {{"4.10", true}}, kWide, of_rank(kNarrow)));
  add(of_model("wide_positions", kWider.args(), {{"4.10", false}}, kWide, of_rank(kWider)));
  for (const auto reads : {ReadsParts::both, ReadsParts::order_alone, ReadsParts::segment_alone}) {
    const char* name = reads == ReadsParts::both          ? "both_parts_read"
                       : reads == ReadsParts::order_alone ? "order_read_alone"
                                                          : "segment_read_alone";
    add({.name = name,
         .ranges = kMatters.args(),
         .truths = {{"0.8", reads == ReadsParts::both}},
         .plant = [reads](RandomStream& stream) {
           const double strength = kMatters.draw(stream);
           return reader_of_word_classes(reads, strength, stream);
         }});
  }
  for (const auto heads : {ReadsCircles::one_each, ReadsCircles::all_alike, ReadsCircles::random_planes}) {
    const char* name = heads == ReadsCircles::one_each    ? "heads_read_one_circle_each"
                       : heads == ReadsCircles::all_alike ? "heads_read_all_circles"
                                                          : "heads_read_random_planes";
    add({.name = name,
         .ranges = kCirclesRead.args(),
         .truths = {{"X3", heads == ReadsCircles::one_each}},
         .plant = [heads](RandomStream& stream) {
           return reader_of_circles(heads, kCirclesRead.draw_whole(stream), stream);
         }});
  }
  add(of_model("unlike_words", kInputs.args(), {{"Q1", true}}, kOfAttention, inputs_times(kInputs)));
  add(of_model("alike_words", kAlike.args(), {{"Q1", false}}, kOfAttention, alike_words));
  add(of_model(
      "words_repeated", kRepeated.args(), {{"Q1", false}}, kOfAttention,
      [](SmallModel& model, RandomStream& stream) {
        inputs_times(kInputs)(model, stream);
        model.put_positions(1e-3 * model.positions());
      },
      repeated_words));
  add(of_model("even_attention", kWeak.args(), {{"Q4", true}}, kOfAttention, even_attention, topics));
  add(of_model("attention_to_one_word", kHuge.args(), {{"Q4", false}}, kOfAttention, attention_to_one_word, topics));
  add(of_model("tied_decoder", {}, {{"Q6", true}}, with_head(model::Decoder::tied), [](SmallModel&, RandomStream&) {}));
  add(of_model("own_decoder", {}, {{"Q6", false}}, with_head(model::Decoder::own), [](SmallModel&, RandomStream&) {}));
  add(of_model("affine_normalisations", {}, {{"Q7", true}}, kUsual, affine_normalisations));
  add(of_model("uneven_words", kUneven.args(), {{"Q7", false}}, kUsual, uneven_words));
  add(of_model("affine_activation", kFarFromZero.args(), {{"Q7", false}}, kUsual, affine_activation));
  return list;
}

}  // namespace summand::lab
