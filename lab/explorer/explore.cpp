#include "lab/explorer/explore.hpp"
#include "engine/run/run.hpp"
#include "lab/subject/table_of.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/available_threads.hpp"
#include "lab/core/localize.hpp"
#include "lab/explorer/adds_three_tables.hpp"
#include "lab/explorer/chosen_sentences.hpp"
#include "lab/explorer/position_pairs.hpp"
#include "lab/explorer/strength_decoder.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/watch.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"
#include "model/composition.hpp"
#include "model/position.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

std::optional<LocalizedText> lacks_sentences(const Subject& subject) {
  if (!subject.model) return localize("probing.gaps.tables");
  if (subject.model->config().num_hidden_layers == 0)
    return LocalizedText{"needs a layer: this model has none", "需要至少一层：此模型没有"};
  return {};
}

/// Whether each token has a position row, which can be made weaker or stronger.
bool has_position_rows(const Subject& subject) {
  return !std::holds_alternative<model::NoPositions>(subject.model->config().position);
}

/// What of the page is not there for this model.
std::vector<LocalizedText> left_out_of(const Subject& subject) {
  std::vector<LocalizedText> left_out;
  if (!adds_three_tables(subject)) {
    left_out.push_back(
        {"What a sum reads back as and the first layer's logits by parts are not shown: both need "
         "BERT's input, a normalised sum of three tables, and its attention.",
         "未显示“从和中读回什么”与第一层 logit 的分项：两者都要求 BERT 的输入（三张表之和，再归一化）"
         "及其注意力。"});
  }
  if (!has_position_rows(subject)) {
    left_out.push_back(
        {"The strength of the position part and two positions are not shown: no position row enters "
         "this model's input by itself.",
         "未显示位置部分的强度与“两个位置”：此模型的输入中没有单独的位置行。"});
  } else if (subject.positions.rows() == 0) {
    left_out.push_back({"Two positions are not shown: a position's row depends on the sentence that it stands in.",
                        "未显示“两个位置”：位置行还取决于词元所在的句子。"});
  }
  return left_out;
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
void strengthen(MatrixView<float> rows, const std::vector<double>& mean, double strength) {
  for (size_t i = 0; i < rows.rows(); ++i) {
    for (size_t d = 0; d < rows.columns(); ++d) {
      const double middle = mean[d];
      rows(i, d) = static_cast<float>(middle + strength * (double{rows(i, d)} - middle));
    }
  }
}

/// @param mean  of the position rows
Pass run_at(const Subject& subject, const model::Batch& batch, const std::vector<double>& mean, double strength) {
  const auto& engine = subject.model->engine();
  Pass pass{.attention = std::vector<std::vector<Table>>(batch.texts()), .vectors = {}};
  Watch<float> watch({model::TapPoint::position_part, model::TapPoint::attention},
                     [&](const model::TapSite& site, MatrixView<float> values) {
                       if (site.point == model::TapPoint::attention) {
                         pass.attention[site.text].push_back(table_of(values));
                       } else if (strength != 1) {
                         strengthen(values, mean, strength);
                       }
                     });
  Table states(static_cast<Index>(batch.tokens()), engine.config().hidden_size);
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

/// The input taken apart at every strength.
void add_parts(const Subject& subject, const api::InputTables& tables, const Chosen& chosen, Exploration& exploration) {
  for (size_t i = 0; i < exploration.sentences.size(); ++i) {
    for (const double strength : exploration.strengths) {
      auto& strengthened = exploration.sentences[i].strengths.emplace_back();
      const auto& encoding = chosen.sentences[i].encoding;
      strengthened.parts = api::parts_of(tables, subject.model->tokenizer(), encoding, {.position = strength});
    }
  }
}

void add_decoded(const Subject& subject, const Chosen& chosen, int threads, Exploration& exploration) {
  auto& sentences = exploration.sentences;
  const auto& batch = chosen.batch;
  const StrengthDecoder decoder(subject.tokens, subject.positions, subject.segments, chosen.items);
  for (size_t step = 0; step < exploration.strengths.size(); ++step) {
    const auto decoded = decoder.decode(exploration.strengths[step], Seen::sum, threads);
    const auto normalised = decoder.decode(exploration.strengths[step], Seen::normalised, threads);
    for (size_t i = 0; i < sentences.size(); ++i) {
      sentences[i].strengths[step].decoded = of_text(decoded, batch, i);
      sentences[i].strengths[step].normalised = of_text(normalised, batch, i);
    }
  }
}

void add_attention(const Subject& subject, const api::InputTables& tables, const Chosen& chosen,
                   Exploration& exploration) {
  auto& sentences = exploration.sentences;
  std::vector<Pass> passes;
  for (const double strength : exploration.strengths) {
    passes.push_back(run_at(subject, chosen.batch, tables.position_mean, strength));
  }
  for (size_t step = 0; step < passes.size(); ++step) {
    const Vector cosines = cosines_by_row(passes[step].vectors, passes[exploration.unchanged].vectors);
    for (size_t i = 0; i < sentences.size(); ++i) {
      sentences[i].strengths[step].attention = std::move(passes[step].attention[i]);
      sentences[i].strengths[step].cosine = cosines(static_cast<Index>(i));
    }
  }
}

void add_first_logits(const Subject& subject, const Chosen& chosen, std::vector<ExploredSentence>& sentences) {
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

/// What is known of the model before a sentence is.
void set_facts(const Subject& subject, Exploration& exploration) {
  const auto& config = subject.model->config();
  exploration.layers = static_cast<size_t>(config.num_hidden_layers);
  exploration.heads = static_cast<size_t>(config.num_attention_heads);
  exploration.composition = model::name_of(config.composition);
  exploration.formula = model::formula_of(config.composition);
  if (has_position_rows(subject)) {
    exploration.strengths.assign(kStrengths.begin(), kStrengths.end());
    exploration.unchanged = kUnchanged;
  } else {
    exploration.strengths = {1};
  }
}

std::vector<ExploredSentence> sentences_of(const Chosen& chosen) {
  std::vector<ExploredSentence> sentences;
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
  return sentences;
}

}  // namespace

Exploration explore(const Subject& subject, std::span<const text::InputRecord> given, int threads) {
  Exploration exploration;
  if (subject.positions.rows() > 0) exploration.pairs = position_pairs(subject);
  if (subject.model) set_facts(subject, exploration);
  if (auto lacking = lacks_sentences(subject)) {
    exploration.no_sentences = *std::move(lacking);
    return exploration;
  }
  const Chosen chosen = chosen_of(subject, given);
  exploration.sentences = sentences_of(chosen);
  if (exploration.sentences.empty()) {
    exploration.no_sentences = {"the corpus has no text with a token", "语料中没有含词元的文本"};
    return exploration;
  }
  exploration.left_out = left_out_of(subject);
  const api::InputTables tables = api::input_tables(*subject.model);
  add_parts(subject, tables, chosen, exploration);
  add_attention(subject, tables, chosen, exploration);
  if (adds_three_tables(subject)) {
    add_decoded(subject, chosen, threads > 0 ? threads : available_threads(), exploration);
    add_first_logits(subject, chosen, exploration.sentences);
  }
  exploration.tokens = names_of(subject, exploration.sentences);
  return exploration;
}

}  // namespace summand::lab
