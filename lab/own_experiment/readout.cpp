#include "lab/own_experiment/readout.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/random_stream.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/pair_retrieval.hpp"
#include "lab/probing/results.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab::own {

namespace {

using Eigen::Index;

constexpr TextChoice kFullTexts{.most = 32, .longest = 80};
constexpr TextChoice kQuickTexts{.most = 8, .longest = 40};

TextChoice text_choice(const Conditions& conditions) {
  return conditions.quick ? kQuickTexts : kFullTexts;
}

/// 1 − cosine of row i of one with row i of the other, as half the squared distance of both at length 1: exactly 0
/// between the same bits.
Vector distances_by_row(const Table& a, const Table& b) {
  const auto unit = [](const Table& rows) -> Table {
    return rows.rowwise().norm().cwiseMax(1e-300).cwiseInverse().asDiagonal() * rows;
  };
  return (unit(a) - unit(b)).rowwise().squaredNorm() / 2;
}

std::vector<double> mean_by_text(const Vector& of_tokens, const Texts& texts) {
  std::vector<double> means;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    const auto length = static_cast<Index>(texts.batch.length(text));
    means.push_back(of_tokens.segment(static_cast<Index>(texts.batch.offsets[text]), length).mean());
  }
  return means;
}

model::Batch edited(const Texts& texts, const Edit& edit) {
  model::Batch batch = texts.batch;
  if (edit) edit(batch);
  return batch;
}

Readout output_readout(const Setup& setup, const Subject& subject, const engine::Engine& unchanged, Texts texts) {
  const SentenceVector vector = sentence_vector_of(subject);
  const Results before = run_texts(unchanged, texts.batch, vector);
  Readout readout{.texts = std::move(texts), .items = 0, .effects = {}};
  readout.items = readout.texts.batch.texts();
  if (setup.readout == ReadoutKind::sentence_vector) {
    readout.effects = [texts = readout.texts, vector, before = before.vectors](const engine::Engine& engine,
                                                                               const Edit& edit) {
      const Vector moved = distances_by_row(run_texts(engine, edited(texts, edit), vector).vectors, before);
      return std::vector<double>(moved.begin(), moved.end());
    };
  } else {
    readout.effects = [texts = readout.texts, vector, before = before.states.back()](const engine::Engine& engine,
                                                                                     const Edit& edit) {
      const Results after = run_texts(engine, edited(texts, edit), vector);
      return mean_by_text(distances_by_row(after.states.back(), before), texts);
    };
  }
  return readout;
}

/// Of one text, the weights of every layer's heads, one after the other.
std::vector<Table> attention_weights(const TextAttention& attention) {
  std::vector<Table> weights;
  for (const auto& layer : attention.scores) {
    for (const Table& scores : layer) weights.push_back(softmax_rows(scores));
  }
  return weights;
}

/// Half the sum of the differences of a query's weights, 0 where it looks at the same tokens as before and 1 where at
/// none of them: the mean over queries, heads and layers.
double total_variation(const std::vector<Table>& a, const std::vector<Table>& b) {
  double sum = 0;
  for (size_t head = 0; head < a.size(); ++head) sum += (a[head] - b[head]).rowwise().lpNorm<1>().mean() / 2;
  return sum / static_cast<double>(a.size());
}

Readout attention_readout(const engine::Engine& unchanged, Texts texts) {
  std::vector<std::vector<Table>> before(texts.batch.texts());
  watch_attention(unchanged, texts.batch, {},
                  [&](const TextAttention& attention) { before[attention.text] = attention_weights(attention); });
  Readout readout{.texts = texts, .items = texts.batch.texts(), .effects = {}};
  readout.effects = [texts = std::move(texts), before = std::move(before)](const engine::Engine& engine,
                                                                           const Edit& edit) {
    std::vector<double> moved(before.size());
    watch_attention(engine, edited(texts, edit), {}, [&](const TextAttention& attention) {
      moved[attention.text] = total_variation(attention_weights(attention), before[attention.text]);
    });
    return moved;
  };
  return readout;
}

Readout masked_readout(const Subject& subject, const engine::Engine& unchanged, Texts texts, uint64_t seed) {
  RandomStream masks(seed, "own: masks");
  Readout readout{.texts = texts, .items = texts.batch.texts(), .effects = {}};
  readout.effects = [undisturbed = Undisturbed(subject, unchanged, std::move(texts), masks)](
                        const engine::Engine& engine, const Edit& edit) {
    return undisturbed.change(engine, edit).losses;
  };
  return readout;
}

Readout retrieval_readout(PairRetrieval retrieval, const engine::Engine& unchanged) {
  Readout readout{.texts = retrieval.texts(), .items = retrieval.pairs(), .effects = {}};
  const auto before = retrieval.losses(unchanged);
  readout.effects = [retrieval = std::move(retrieval), before](const engine::Engine& engine, const Edit& edit) {
    auto losses = retrieval.losses(engine, edit);
    for (size_t i = 0; i < losses.size(); ++i) losses[i] -= before[i];
    return losses;
  };
  return readout;
}

void require_items(const Setup& setup, size_t items, const char* what) {
  if (items >= kLeastResampled) return;
  throw ConfigError(setup.where,
                    fmt::format("readout: expected a corpus with {} {} or more, got {}", kLeastResampled, what, items));
}

Texts chosen_texts(const Setup& setup, const Subject& subject, const TextChoice& choice, uint64_t seed) {
  RandomStream stream(seed, "own: texts");
  Texts texts = with_words(texts_of(subject, choice, stream));
  require_items(setup, texts.batch.texts(), "texts with a word");
  return texts;
}

PairRetrieval chosen_pairs(const Setup& setup, const Subject& subject, const TextChoice& choice) {
  PairRetrieval retrieval(subject, {.longest = choice.longest});
  require_items(setup, retrieval.pairs(), "pairs");
  return retrieval;
}

void require_head(const Setup& setup, const Subject& subject) {
  if (setup.readout != ReadoutKind::masked_language) return;
  if (const auto lack = lacks_masked_language(subject)) {
    throw ConfigError(setup.where,
                      fmt::format("readout: expected one that this model has, got 'masked_language': {}", lack->en));
  }
}

}  // namespace

Readout readout_of(const Setup& setup, const Subject& subject, const Conditions& conditions) {
  require_head(setup, subject);
  const auto engine = changed_model(subject).engine(conditions.threads);
  const TextChoice choice = text_choice(conditions);
  const auto texts = [&] { return chosen_texts(setup, subject, choice, conditions.seed); };
  switch (setup.readout) {
    case ReadoutKind::sentence_vector:
    case ReadoutKind::hidden_states:
      return output_readout(setup, subject, engine, texts());
    case ReadoutKind::attention:
      return attention_readout(engine, texts());
    case ReadoutKind::masked_language:
      return masked_readout(subject, engine, texts(), conditions.seed);
    case ReadoutKind::retrieval:
      return retrieval_readout(chosen_pairs(setup, subject, choice), engine);
  }
  __builtin_unreachable();
}

void check_readout(const Setup& setup, const Subject& subject) {
  require_head(setup, subject);
  if (setup.part == Part::position && setup.rows && setup.rows->first >= kFullTexts.longest) {
    throw ConfigError(setup.where,
                      fmt::format("intervention.rows: expected rows that the texts reach, which are cut at {} tokens, "
                                  "got {} to {}",
                                  kFullTexts.longest, setup.rows->first, setup.rows->last));
  }
  if (setup.readout == ReadoutKind::attention && subject.model->config().num_hidden_layers < 1) {
    throw ConfigError(setup.where, "readout: 'attention' needs a layer, this model has none");
  }
  if (setup.readout == ReadoutKind::retrieval) {
    (void)chosen_pairs(setup, subject, kQuickTexts);
  } else {
    (void)chosen_texts(setup, subject, kQuickTexts, 0);
  }
}

}  // namespace summand::lab::own
