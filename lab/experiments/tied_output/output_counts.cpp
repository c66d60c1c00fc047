#include "lab/experiments/tied_output/output_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace tied_output {
namespace {

using Eigen::Index;

constexpr size_t kHalvings = 20;        // of the corpus
constexpr double kSmallVocabulary = 2;  // the least in which there is something to predict

constexpr NumberName kOutputOverEncoder{"tied_output", "output_over_encoder"};
constexpr NumberName kOutputGrowth{"tied_output", "output_growth"};
constexpr NumberName kSharedPieces{"tied_output", "shared_pieces"};

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
}  // namespace tied_output

void count_parameters(const Subject& subject, const std::optional<PredictionHead>& head, Numbers& numbers) {
  using namespace tied_output;
  const auto& config = subject.model->config();
  const auto& parts = subject.model->checkpoint().parts;
  const double decoder = static_cast<double>(config.vocab_size) * static_cast<double>(config.hidden_size);
  const bool own_decoder = head && head->decoder == model::Decoder::own;
  const double untied = count_of(model::parameters(config, parts)) + (own_decoder ? 0 : decoder);
  const double saved = own_decoder ? 0 : decoder;
  const LocalizedText of_null = localize("tied_output.beside.own_decoder");
  const LocalizedText of_control = localize("tied_output.beside.tied_decoder");
  numbers.add(
      NumberBuilder(kSavedMillions.name,
                    head ? kSavedMillions.label() : localize("tied_output.numbers.saved_millions_without_decoder"),
                    saved / 1e6)
          .null(0, of_null)
          .control(decoder / 1e6, of_control));
  numbers.add(NumberBuilder(kSavedShare, saved / untied).null(0, of_null).control(decoder / untied, of_control));
  if (!head) return;
  const auto equal_rows = [&](size_t moved) {
    std::vector<Index> rows = subject.reached;
    std::erase_if(rows, [&](Index row) { return row >= head->rows.rows(); });
    size_t equal = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      equal += head->rows.row(rows[i]) == subject.tokens.row(rows[(i + moved) % rows.size()]) ? 1 : 0;
    }
    return static_cast<double>(equal) / static_cast<double>(rows.size());
  };
  numbers.add(NumberBuilder(kDecoderShared, equal_rows(0))
                  .null(equal_rows(1), localize("tied_output.beside.next_row"))
                  .control(1, localize("tied_output.beside.table_itself")));
}

void count_operations(const OutputCost& cost, Numbers& numbers) {
  using namespace tied_output;
  if (cost.encoder > 0) {  // a model of no layers has nothing to set it against
    numbers.add(NumberBuilder(kOutputOverEncoder, cost.output(cost.vocabulary) / cost.encoder)
                    .null(cost.output(kSmallVocabulary) / cost.encoder,
                          localize("tied_output.beside.small_vocabulary", {{"words", kSmallVocabulary}}))
                    .control(cost.output(cost.equal_vocabulary()) / cost.encoder,
                             localize("tied_output.beside.equal_vocabulary")));
  }
  numbers.add(NumberBuilder(kOutputGrowth, cost.output(2 * cost.vocabulary) / cost.output(cost.vocabulary))
                  .null(1, localize("tied_output.beside.layers"))
                  .control(2, localize("tied_output.beside.closed_form")));
}

void count_pieces(const Subject& subject, const Conditions& conditions, Findings& findings) {
  using namespace tied_output;
  RandomStream stream(conditions.seed, "tied output: pieces");
  const Texts texts = with_words(texts_of(subject, {.most = 400}, stream));
  const auto few = too_few(texts.batch.texts(), texts_with_a_word());
  if (few) findings.remarks.push_back(without_interval(*few));
  if (texts.batch.texts() < 2) return;
  const Draws draws{.seed = conditions.seed, .name = "tied output: halves", .count = kHalvings};
  const auto of = [&](bool renamed) {
    return drawn(draws, [&](RandomStream& draw) { return shared_pieces(texts, draw, renamed); });
  };
  const auto own = of(false);
  Number shared = NumberBuilder(kSharedPieces, median(own), {{"halvings", kHalvings}})
                      .null(median(of(true)), localize("tied_output.beside.own_vocabularies"))
                      .control(1, localize("tied_output.beside.half_itself"));
  if (!few) shared.interval = middle_95_percent(own);
  findings.numbers["Q6"].add(std::move(shared));
}

}  // namespace summand::lab
