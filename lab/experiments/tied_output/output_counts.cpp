#include "lab/experiments/tied_output/output_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

double count_of(const std::vector<model::Parameter>& parameters) {
  double count = 0;
  for (const auto& parameter : parameters) count += static_cast<double>(model::elements(parameter));
  return count;
}

/// How many different pieces two halves of the texts have in common, as a share of all.
double shared_pieces(const Texts& texts, RandomStream& stream, bool renamed) {
  std::vector<size_t> order(texts.batch.texts());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  stream.shuffle(std::span(order));
  std::vector<bool> second(order.size());
  for (size_t i = 0; i < order.size() / 2; ++i) second[order[i]] = true;
  std::set<int32_t> halves[2];
  std::set<int32_t> all;
  for (size_t t = 0; t < texts.special.size(); ++t) {
    if (texts.special[t]) continue;
    const size_t half = second[texts.text[t]] ? 1 : 0;
    const int32_t id = renamed && half == 1 ? -1 - texts.batch.ids[t] : texts.batch.ids[t];
    halves[half].insert(id);
    all.insert(id);
  }
  const auto in_both =
      std::ranges::count_if(all, [&](int32_t id) { return halves[0].contains(id) && halves[1].contains(id); });
  return all.empty() ? 0 : static_cast<double>(in_both) / static_cast<double>(all.size());
}

}  // namespace

void count_parameters(const Subject& subject, const std::optional<PredictionHead>& head, Numbers& numbers) {
  const auto& config = subject.model->config();
  const auto& parts = subject.model->checkpoint().parts;
  const double decoder = static_cast<double>(config.vocab_size) * static_cast<double>(config.hidden_size);
  const bool own_decoder = head && head->decoder == model::Decoder::own;
  const double untied = count_of(model::parameters(config, parts)) + (own_decoder ? 0 : decoder);
  const double saved = own_decoder ? 0 : decoder;
  const Words of_null{"a decoder of its own", "解码层自有一张表"};
  const Words of_control{"a decoder tied to the token table", "解码层与词元表共享"};
  numbers.add(Measured("saved_millions",
                       head ? Words{"parameters that tying saves, millions", "共享节省的参数量（百万）"}
                            : Words{"parameters that tying a decoder would save, millions",
                                    "若有解码层，共享可节省的参数量（百万）"},
                       saved / 1e6)
                  .null(0, of_null)
                  .control(decoder / 1e6, of_control));
  numbers.add(Measured("saved_share", {"as a share of the untied model's parameters", "占不共享时全部参数的比例"},
                       saved / untied)
                  .null(0, of_null)
                  .control(decoder / untied, of_control));
  if (!head) return;
  const auto equal_rows = [&](Index moved) {
    const Index rows = std::min(head->rows.rows(), subject.tokens.rows());
    Index equal = 0;
    for (Index row = 0; row < rows; ++row) equal += head->rows.row(row) == subject.tokens.row((row + moved) % rows);
    return static_cast<double>(equal) / static_cast<double>(rows);
  };
  numbers.add(Measured("decoder_shared",
                       {"share of the decoder's rows that are the token table's", "解码层中与词元表相同的行占比"},
                       equal_rows(0))
                  .null(equal_rows(1), {"beside the next token's row", "与下一个词元的行比较"})
                  .control(1, {"the token table beside itself", "词元表与自身比较"}));
}

void count_operations(const OutputCost& cost, Numbers& numbers) {
  numbers.add(
      Measured("output_over_encoder",
               {"operations of output layer and softmax for one predicted token, over the layers' for one token",
                "预测一个词元时输出层与 softmax 的运算量与各层对一个词元的运算量之比"},
               cost.output(cost.vocabulary) / cost.encoder)
          .null(cost.output(2) / cost.encoder, {"a vocabulary of 2", "词表大小为 2"})
          .control(cost.output(cost.equal_vocabulary()) / cost.encoder,
                   {"the vocabulary at which they are equal", "使二者相等的词表大小"}));
  numbers.add(Measured("output_growth",
                       {"factor by which they grow when the vocabulary doubles", "词表加倍时其增长倍数"},
                       cost.output(2 * cost.vocabulary) / cost.output(cost.vocabulary))
                  .null(1, {"the layers, which do not read the vocabulary", "各层运算与词表无关"})
                  .control(2, {"V·d in closed form", "闭式 V·d"}));
}

void count_pieces(const Subject& subject, const Conditions& conditions, Numbers& numbers) {
  RandomStream stream(conditions.seed, "tied output: pieces");
  const Texts texts = texts_of(subject, {.most = 400}, stream);
  if (texts.batch.texts() < 2) return;
  const Draws draws{.seed = conditions.seed, .name = "tied output: halves", .count = 20};
  const auto of = [&](bool renamed) {
    return drawn(draws, [&](RandomStream& draw) { return shared_pieces(texts, draw, renamed); });
  };
  const auto own = of(false);
  numbers.add(Measured("shared_pieces",
                       {"word pieces that two random halves of the corpus have in common, as a share of all pieces in "
                        "either, median of 20 draws",
                        "语料随机分成两半，两半共有的子词占全部子词的比例，20 次的中位数"},
                       median(own))
                  .interval(middle_95_percent(own))
                  .null(median(of(true)), {"halves with vocabularies of their own", "两半各用各的词表"})
                  .control(1, {"a half beside itself", "同一半与自身比较"}));
}

}  // namespace summand::lab
