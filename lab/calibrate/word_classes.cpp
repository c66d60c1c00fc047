#include "lab/calibrate/word_classes.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "lab/plant/small_model.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace word_classes {
namespace {

using Eigen::Index;

constexpr size_t kOrders = 2;
constexpr size_t kTexts = 2;
constexpr size_t kTopics = 8;
constexpr size_t kEach = 6;  // words that agree in all three
constexpr size_t kWords = kOrders * kTexts * kTopics * kEach;
static_assert(kWords <= kSmallWords);

// Coordinates of a hidden state: one for each class, the others are words' own.
constexpr Index kHidden = 48;
constexpr Index kFirstOrder = 0;
constexpr Index kFirstText = kFirstOrder + Index{kOrders};
constexpr Index kFirstTopic = kFirstText + Index{kTexts};
constexpr Index kFirstOwn = kFirstTopic + Index{kTopics};
constexpr double kOwn = 0.3;
constexpr double kLittle = 0.02;  // of what says nothing

constexpr size_t kPairs = 40;
constexpr size_t kShortest = 6;
constexpr size_t kLongest = 17;

size_t number_of(size_t order, size_t text, size_t topic, size_t which) {
  return which + kEach * (topic + kTopics * (text + kTexts * order));
}

Table little(Index rows, RandomStream& stream) {
  return kLittle * white_noise({static_cast<size_t>(rows), static_cast<size_t>(kHidden)}, stream);
}

Table token_rows(RandomStream& stream) {
  Table tokens = little(static_cast<Index>(kSpecialTokens + kWords), stream);
  for (size_t order = 0; order < kOrders; ++order) {
    for (size_t text = 0; text < kTexts; ++text) {
      for (size_t topic = 0; topic < kTopics; ++topic) {
        for (size_t which = 0; which < kEach; ++which) {
          auto row = tokens.row(static_cast<Index>(kSpecialTokens + number_of(order, text, topic, which)));
          row.tail(kHidden - kFirstOwn) *= kOwn / kLittle;
          row(kFirstOrder + static_cast<Index>(order)) += 1;
          row(kFirstText + static_cast<Index>(text)) += 1;
          row(kFirstTopic + static_cast<Index>(topic)) += 1;
        }
      }
    }
  }
  return tokens;
}

/// Row i says class i % classes.
Table rows_of_classes(Index rows, Index first, size_t classes, double strength, RandomStream& stream) {
  Table table = little(rows, stream);
  for (Index row = 0; row < rows; ++row) table(row, first + row % static_cast<Index>(classes)) += strength;
  return table;
}

/// Words of one text of a pair, which begins at this position.
std::vector<size_t> words_of(ReadsParts reads, size_t text, size_t begin, size_t topic, RandomStream& stream) {
  std::vector<size_t> words(kShortest + stream.below(kLongest - kShortest + 1));
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t any_order = stream.below(kOrders);
    const size_t any_text = stream.below(kTexts);
    words[i] = number_of(reads == ReadsParts::segment_alone ? any_order : (begin + i) % kOrders,
                         reads == ReadsParts::order_alone ? any_text : text, topic, stream.below(kEach));
  }
  return words;
}

std::vector<SmallText> pairs(ReadsParts reads, RandomStream& stream) {
  std::vector<SmallText> corpus;
  for (size_t i = 0; i < kPairs; ++i) {
    const size_t topic = stream.below(kTopics);
    SmallText pair{.first = words_of(reads, 0, 1, topic, stream)};  // behind [CLS]
    pair.second = words_of(reads, 1, 2 + pair.first.size(), topic, stream);
    corpus.push_back(std::move(pair));
  }
  return corpus;
}

void put_identity(SmallModel& model, std::string_view ending, double factor) {
  model.change(ending, [&](Table& table) { table = factor * Table::Identity(table.rows(), table.cols()); });
}
void put_zero(SmallModel& model, std::string_view ending) {
  model.change(ending, [](Table& table) { table.setZero(); });
}

/// Every token gets the topics of all words beside what it is; nothing else changes a state.
void put_encoder(SmallModel& model) {
  for (const char* map : {"query", "key", "value"}) {
    put_zero(model, std::string("attention.self.") + map + ".bias");
  }
  put_zero(model, "attention.self.query.weight");
  model.change("attention.self.value.weight", [](Table& table) {
    table.setZero();
    for (Index topic = kFirstTopic; topic < kFirstOwn; ++topic) table(topic, topic) = 1;
  });
  put_zero(model, "output.dense.bias");
  put_zero(model, "output.dense.weight");
  model.change("layer.0.attention.output.dense.weight",
               [](Table& table) { table = 2 * Table::Identity(kHidden, kHidden); });
  put_zero(model, "LayerNorm.bias");
  put_identity(model, "cls.predictions.transform.dense.weight", 1.5);
  put_zero(model, "cls.predictions.transform.dense.bias");
  put_zero(model, "cls.predictions.bias");
}

}  // namespace
}  // namespace word_classes

Subject reader_of_word_classes(ReadsParts reads, double strength, RandomStream& stream) {
  using namespace word_classes;
  SmallModel model({.hidden = kHidden,
                    .positions = static_cast<int64_t>(2 * kLongest + 8),
                    .words = static_cast<int64_t>(kWords),
                    .parts = {.heads = {model::Head::masked_language}}},
                   stream);
  put_encoder(model);
  model.put_tokens(token_rows(stream));
  const double order = reads == ReadsParts::segment_alone ? 0 : strength;
  const double text = reads == ReadsParts::order_alone ? 0 : strength;
  model.put_positions(rows_of_classes(model.positions().rows(), kFirstOrder, kOrders, order, stream));
  model.put_segments(rows_of_classes(model.segments().rows(), kFirstText, kTexts, text, stream));
  return model.subject(pairs(reads, stream));
}

}  // namespace summand::lab
