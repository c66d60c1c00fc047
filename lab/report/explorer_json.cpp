#include "lab/report/explorer_json.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "api/inspection/parts.hpp"
#include "base/base64.hpp"
#include "lab/report/colour_map.hpp"
#include "lab/report/matrix_image.hpp"
#include "lab/report/rounded_json.hpp"
#include "lab/report/words_json.hpp"

namespace summand::lab {
namespace {

using Json = nlohmann::json;
using Eigen::Index;

// Bytes of attention and of its terms, which base64 makes a third longer: 1 MB of the page.
constexpr size_t kRoom = 740'000;

constexpr size_t kTerms = kLogitParts * kLogitParts + 1;  // and their sum

// The page shows three digits.
Json rounded(double value) {
  return rounded_json(value, 5);
}

Json rounded(std::span<const double> values) {
  Json result = Json::array();
  for (const double value : values) result.push_back(rounded(value));
  return result;
}

/// Matrices of one sentence that are kept at a strength other than the unchanged one.
size_t kept_matrices(const Exploration& exploration, AttentionDetail detail) {
  switch (detail) {
    case AttentionDetail::every_head:
      return exploration.layers * exploration.heads;
    case AttentionDetail::first_layer:
      return exploration.heads + exploration.layers - 1;
    case AttentionDetail::means:
      return exploration.layers;
  }
  __builtin_unreachable();
}

const char* name_of(AttentionDetail detail) {
  switch (detail) {
    case AttentionDetail::every_head:
      return "every_head";
    case AttentionDetail::first_layer:
      return "first_layer";
    case AttentionDetail::means:
      return "means";
  }
  __builtin_unreachable();
}

size_t bytes_of(const Exploration& exploration, AttentionDetail detail) {
  const size_t matrices =
      exploration.layers * exploration.heads + (exploration.strengths.size() - 1) * kept_matrices(exploration, detail);
  size_t bytes = 0;
  for (const auto& sentence : exploration.sentences) {
    bytes += sentence.items.size() * sentence.items.size() * (matrices + kTerms * sentence.first_logits.size());
  }
  return bytes;
}

AttentionDetail detail_of(const Exploration& exploration) {
  for (const auto detail : {AttentionDetail::every_head, AttentionDetail::first_layer}) {
    if (bytes_of(exploration, detail) <= kRoom) return detail;
  }
  return AttentionDetail::means;
}

Json codes_of(const std::vector<float>& values, CellBytes bytes) {
  const auto codes = quantised(
      {.rows = 1, .columns = values.size(), .values = values, .row_label = {}, .column_label = {}, .value_label = {}},
      bytes);
  return {{"low", codes.low}, {"step", codes.step}, {"bytes", static_cast<int>(bytes)}, {"codes", base64(codes.bytes)}};
}

void append(const Table& table, std::vector<float>& values) {
  for (const double value : elements(table)) values.push_back(static_cast<float>(value));
}

Json codes_of(const Table& table, CellBytes bytes) {
  std::vector<float> values;
  append(table, values);
  return codes_of(values, bytes);
}

/// The attention at one strength, as AttentionDetail orders it.
Json attention_json(const Exploration& exploration, const std::vector<Table>& attention, AttentionDetail detail) {
  std::vector<float> values;
  const auto layer = [&](size_t index) {
    return std::span(attention).subspan(index * exploration.heads, exploration.heads);
  };
  for (size_t index = 0; index < exploration.layers; ++index) {
    const bool heads = detail == AttentionDetail::every_head || (detail == AttentionDetail::first_layer && index == 0);
    if (heads) {
      for (const auto& head : layer(index)) append(head.cwiseMax(0).cwiseSqrt(), values);
    } else {
      Table mean = Table::Zero(attention[0].rows(), attention[0].cols());
      for (const auto& head : layer(index)) mean += head / static_cast<double>(exploration.heads);
      append(mean.cwiseMax(0).cwiseSqrt(), values);
    }
  }
  return codes_of(values, CellBytes::one);
}

/// A list for each head of the codes of its terms: each term has its own ends, since the common one is the largest.
Json terms_json(const std::vector<LogitTerms>& of_heads) {
  Json result = Json::array();
  for (const auto& terms : of_heads) {
    Json own = Json::array();
    for (const auto& of_query : terms.of) {
      for (const auto& term : of_query) {
        own.push_back(codes_of(term, CellBytes::one));
      }
    }
    own.push_back(codes_of(terms.sum(), CellBytes::one));
    result.push_back(std::move(own));
  }
  return result;
}

/// [token, position, segment of the nearest other combination, margin]: the true one is the nearest if it is above 0.
Json decoded_json(const std::vector<Decoded>& decoded) {
  Json result = Json::array();
  for (const auto& one : decoded) {
    result.push_back({one.other.token, one.other.position, one.other.segment, rounded(one.margin)});
  }
  return result;
}

/// In the order of the parts that explorer_json() names.
Json shares_json(const api::PartShares& share) {
  std::vector<double> shares{share.token, share.position, share.segment, share.common};
  if (share.together) shares.push_back(*share.together);
  return rounded(shares);
}

/// Those as they enter, then the centred ones.
Json norms_json(const api::TokenParts& token) {
  std::vector<double> norms{token.token_norm, token.position_norm, token.segment_norm};
  if (token.together_norm) norms.push_back(*token.together_norm);
  norms.insert(norms.end(), {token.centred_token_norm, token.centred_position_norm, token.centred_segment_norm});
  if (token.centred_together_norm) norms.push_back(*token.centred_together_norm);
  return rounded(norms);
}

Json gates_json(const api::TokenParts& token) {
  std::vector<double> gates;
  for (const auto& gate : token.gates) gates.push_back(gate.mean);
  return rounded(gates);
}

Json strength_json(const StrengthenedSentence& strength) {
  Json shares = Json::array();
  Json gates = Json::array();
  for (const auto& token : strength.parts.tokens) {
    shares.push_back(shares_json(token.share));
    if (!token.gates.empty()) gates.push_back(gates_json(token));
  }
  return {
      {"shares", std::move(shares)},
      {"gates", std::move(gates)},
      {"over_tokens", shares_json(strength.parts.share_between_tokens)},
      {"over_text", shares_json(strength.parts.share_without_special.value_or(strength.parts.share_between_tokens))},
      {"cosine", rounded(strength.cosine)},
      {"decoded", decoded_json(strength.decoded)},
      {"normalised", decoded_json(strength.normalised)}};
}

Json sentence_json(const Exploration& exploration, const ExploredSentence& sentence, AttentionDetail detail) {
  Json result{{"text", sentence.text},        {"text_pair", sentence.text_pair},
              {"why", json_of(sentence.why)}, {"cut", sentence.cut},
              {"tokens", Json::array()},      {"norms", Json::array()},
              {"strengths", Json::array()},   {"attention", Json::array()},
              {"special", sentence.special},  {"terms", terms_json(sentence.first_logits)}};
  for (const auto& item : sentence.items) result["tokens"].push_back({item.token, item.position, item.segment});
  for (const auto& token : sentence.strengths[exploration.unchanged].parts.tokens) {
    result["norms"].push_back(norms_json(token));
  }
  for (size_t i = 0; i < exploration.strengths.size(); ++i) {
    const auto& strength = sentence.strengths[i];
    result["strengths"].push_back(strength_json(strength));
    const auto own = i == exploration.unchanged ? AttentionDetail::every_head : detail;
    result["attention"].push_back(attention_json(exploration, strength.attention, own));
  }
  return result;
}

Json pairs_json(const PositionPairs& pairs) {
  if (pairs.norms.empty()) return {};
  const Index count = pairs.cosines.rows();
  std::vector<float> cosines;  // above and on the diagonal, row after row
  for (Index m = 0; m < count; ++m) {
    for (Index n = m; n < count; ++n) cosines.push_back(static_cast<float>(pairs.cosines(m, n)));
  }
  Json heads = Json::array();
  for (const auto& head : pairs.first_logits) {
    heads.push_back(codes_of(head, CellBytes::two));
  }
  return {{"norms", rounded(pairs.norms)},
          {"cosines", codes_of(cosines, CellBytes::two)},
          {"by_distance", rounded(pairs.products_by_distance)},
          {"of_heads", pairs.first_logits.empty() ? 0 : pairs.first_logits[0].rows()},
          {"heads", std::move(heads)},
          {"left_out", pairs.left_out}};
}

Json colours_json(MatrixData::Scale scale) {
  Json colours = Json::array();
  for (const auto& colour : control_points(scale)) colours.push_back(hexadecimal(colour));
  return colours;
}

/// What an input is the sum of, in the order of its shares.
Json parts_json(const Exploration& exploration) {
  Json parts = Json::array();
  for (const auto part : {LogitPart::token, LogitPart::position, LogitPart::segment, LogitPart::common}) {
    parts.push_back(json_of(words_of(part)));
  }
  const auto has_together = [](const ExploredSentence& sentence) {
    return sentence.strengths[0].parts.share_between_tokens.together.has_value();
  };
  if (std::ranges::any_of(exploration.sentences, has_together)) parts.push_back(json_of({"together", "交互"}));
  return parts;
}

/// Names of the gates, as "token_gate"; none where there are none.
Json gate_names(const Exploration& exploration) {
  Json names = Json::array();
  if (exploration.sentences.empty()) return names;
  for (const auto& gate : exploration.sentences[0].strengths[0].parts.tokens[0].gates) names.push_back(gate.name);
  return names;
}

}  // namespace

Json explorer_json(const Exploration& exploration) {
  if (exploration.pairs.norms.empty() && exploration.sentences.empty()) return {};
  const auto detail = detail_of(exploration);
  Json tokens = Json::object();
  for (const auto& [id, name] : exploration.tokens) tokens[std::to_string(id)] = name;
  Json sentences = Json::array();
  for (const auto& sentence : exploration.sentences) {
    sentences.push_back(sentence_json(exploration, sentence, detail));
  }
  Json left_out = Json::array();
  for (const auto& words : exploration.left_out) left_out.push_back(json_of(words));
  return {{"composition", exploration.composition},
          {"formula", exploration.formula},
          {"strengths", exploration.strengths},
          {"unchanged", exploration.unchanged},
          {"gates", gate_names(exploration)},
          {"left_out", std::move(left_out)},
          {"most_tokens", kExploredTokens},
          {"layers", exploration.layers},
          {"heads", exploration.heads},
          {"detail", name_of(detail)},
          {"parts", parts_json(exploration)},
          {"tokens", std::move(tokens)},
          {"sentences", std::move(sentences)},
          {"no_sentences", json_of(exploration.no_sentences)},
          {"pairs", pairs_json(exploration.pairs)},
          {"colours",
           {{"sequential", colours_json(MatrixData::Scale::sequential)},
            {"diverging", colours_json(MatrixData::Scale::diverging)}}}};
}

}  // namespace summand::lab
