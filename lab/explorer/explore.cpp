#include "lab/explorer/explore.hpp"
#include "engine/run.hpp"
#include "lab/subject/table_of.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/available_threads.hpp"
#include "lab/explorer/chosen_sentences.hpp"
#include "lab/explorer/position_pairs.hpp"
#include "lab/explorer/strength_decoder.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/watch.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

std::optional<Words> lacks_sentences(const Subject& subject) {
  if (auto lacking = lacks_sum(subject)) return lacking;
  if (subject.positions.rows() == 0)
    return Words{"needs a table of positions: this model has none", "需要位置表：此模型没有"};
  if (subject.model->config().num_hidden_layers == 0)
    return Words{"needs a layer: this model has none", "需要至少一层：此模型没有"};
  return {};
}

/// Everything that is to be taken apart, in one batch.
struct Chosen {
  std::vector<ChosenSentence> sentences;
  model::Batch batch;
  std::vector<SumItem> items;  ///< [tokens of the batch]
};

Chosen chosen_of(const Subject& subject, std::span<const text::InputRecord> given) {
  Chosen chosen{.sentences = chosen_sentences(subject, given), .batch = {}, .items = {}};
  for (const auto& sentence : chosen.sentences) chosen.batch.add(sentence.encoding.ids, sentence.encoding.segments);
  const auto& batch = chosen.batch;
  for (size_t t = 0; t < batch.tokens(); ++t) {
    chosen.items.push_back({.token = batch.ids[t], .position = batch.positions[t], .segment = batch.segments[t]});
  }
  return chosen;
}

/// What the model makes of the sentences at one strength.
struct Pass {
  std::vector<std::vector<Table>> attention;  ///< [sentences][layers · heads]
  Table vectors;                              ///< [sentences, hidden]
};

/// v becomes mean + strength · (v − mean) in every row.
void strengthen(MatrixView<float> rows, const Vector& mean, double strength) {
  for (size_t i = 0; i < rows.rows(); ++i) {
    for (size_t d = 0; d < rows.columns(); ++d) {
      const double middle = mean(static_cast<Index>(d));
      rows(i, d) = static_cast<float>(middle + strength * (double{rows(i, d)} - middle));
    }
  }
}

Pass run_at(const Subject& subject, const model::Batch& batch, double strength) {
  const auto& engine = subject.model->engine();
  const Vector mean = column_means(subject.positions);
  Pass pass{.attention = std::vector<std::vector<Table>>(batch.texts()), .vectors = {}};
  Watch<float> watch({model::TapPoint::position_part, model::TapPoint::attention},
                     [&](const model::TapSite& site, MatrixView<float> values) {
                       if (site.point == model::TapPoint::attention) {
                         pass.attention[site.text].push_back(table_of(values));
                       } else if (strength != 1) {
                         strengthen(values, mean, strength);
                       }
                     });
  Table states(static_cast<Index>(batch.tokens()), subject.tokens.cols());
  const auto keep = [&](size_t text, const engine::TextResult& result) {
    states.middleRows(static_cast<Index>(batch.offsets[text]), static_cast<Index>(batch.length(text))) =
        table_of(result.hidden_states[0]);
  };
  const auto last = static_cast<size_t>(engine.config().num_hidden_layers);
  (void)engine.run(batch, {.hidden_states = {last}, .on_text = keep, .taps = &watch});
  pass.vectors = sentence_vectors(states, batch, sentence_vector_of(subject));
  return pass;
}

template <class Value>
std::vector<Value> of_text(const std::vector<Value>& values, const model::Batch& batch, size_t text) {
  return {values.begin() + static_cast<std::ptrdiff_t>(batch.offsets[text]),
          values.begin() + static_cast<std::ptrdiff_t>(batch.offsets[text + 1])};
}

/// Token, position and segment rows taken apart at every strength.
void add_parts(const Subject& subject, const Chosen& chosen, std::vector<ExploredSentence>& sentences) {
  api::InputTables tables = api::input_tables(*subject.model);
  const auto positions = tables.position;
  for (size_t step = 0; step < kStrengths.size(); ++step) {
    for (size_t p = 0; p < std::min(kExploredTokens, positions.rows()); ++p) {
      for (size_t d = 0; d < positions.columns(); ++d) {
        const double middle = tables.position_mean[d];
        tables.position(p, d) = middle + kStrengths[step] * (positions(p, d) - middle);
      }
    }
    for (size_t i = 0; i < sentences.size(); ++i) {
      sentences[i].strengths[step].parts =
          api::parts_of(tables, subject.model->tokenizer(), chosen.sentences[i].encoding);
    }
  }
}

void add_decoded(const Subject& subject, const Chosen& chosen, int threads, std::vector<ExploredSentence>& sentences) {
  const auto& batch = chosen.batch;
  const StrengthDecoder decoder(subject.tokens, subject.positions, subject.segments, chosen.items);
  for (size_t step = 0; step < kStrengths.size(); ++step) {
    const auto decoded = decoder.decode(kStrengths[step], Seen::sum, threads);
    const auto normalised = decoder.decode(kStrengths[step], Seen::normalised, threads);
    for (size_t i = 0; i < sentences.size(); ++i) {
      sentences[i].strengths[step].decoded = of_text(decoded, batch, i);
      sentences[i].strengths[step].normalised = of_text(normalised, batch, i);
    }
  }
}

void add_attention(const Subject& subject, const Chosen& chosen, std::vector<ExploredSentence>& sentences) {
  std::vector<Pass> passes;
  for (const double strength : kStrengths) passes.push_back(run_at(subject, chosen.batch, strength));
  for (size_t step = 0; step < kStrengths.size(); ++step) {
    const Vector cosines = cosines_by_row(passes[step].vectors, passes[kUnchanged].vectors);
    for (size_t i = 0; i < sentences.size(); ++i) {
      sentences[i].strengths[step].attention = std::move(passes[step].attention[i]);
      sentences[i].strengths[step].cosine = cosines(static_cast<Index>(i));
    }
  }
  const FirstLogits logits(subject);
  for (size_t i = 0; i < sentences.size(); ++i) {
    const PartTables inputs = logits.inputs(chosen.batch, i);
    for (size_t head = 0; head < logits.heads(); ++head) {
      sentences[i].first_logits.push_back(logits.terms(inputs, head));
    }
  }
}

std::map<Index, std::string> names_of(const Subject& subject, const std::vector<ExploredSentence>& sentences) {
  std::map<Index, std::string> names;
  const auto add = [&](Index token) { names[token] = subject.model->tokenizer().token(static_cast<int32_t>(token)); };
  for (const auto& sentence : sentences) {
    for (const auto& item : sentence.items) add(item.token);
    for (const auto& strength : sentence.strengths) {
      for (const auto& decoded : strength.decoded) add(decoded.other.token);
      for (const auto& decoded : strength.normalised) add(decoded.other.token);
    }
  }
  return names;
}

}  // namespace

Exploration explore(const Subject& subject, std::span<const text::InputRecord> given, int threads) {
  Exploration exploration;
  if (subject.positions.rows() > 0) exploration.pairs = position_pairs(subject);
  if (auto lacking = lacks_sentences(subject)) {
    exploration.no_sentences = *std::move(lacking);
    return exploration;
  }
  const auto& config = subject.model->config();
  exploration.layers = static_cast<size_t>(config.num_hidden_layers);
  exploration.heads = static_cast<size_t>(config.num_attention_heads);
  const Chosen chosen = chosen_of(subject, given);
  auto& sentences = exploration.sentences;
  for (size_t i = 0; i < chosen.sentences.size(); ++i) {
    const auto& [encoding, text, text_pair, why] = chosen.sentences[i];
    sentences.push_back({.text = text,
                         .text_pair = text_pair,
                         .why = why,
                         .cut = encoding.cut,
                         .items = of_text(chosen.items, chosen.batch, i),
                         .special = encoding.special,
                         .strengths = {},
                         .first_logits = {}});
  }
  if (sentences.empty()) {
    exploration.no_sentences = {"the corpus has no text with a token", "语料中没有含词元的文本"};
    return exploration;
  }
  add_parts(subject, chosen, sentences);
  add_decoded(subject, chosen, threads > 0 ? threads : available_threads(), sentences);
  add_attention(subject, chosen, sentences);
  exploration.tokens = names_of(subject, sentences);
  return exploration;
}

}  // namespace summand::lab
