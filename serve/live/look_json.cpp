#include "serve/live/look_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::serve::live {

namespace {

using lab::Table;
using Ordered = nlohmann::ordered_json;

constexpr const char* kWhere = "look";
constexpr int kDigits = 5;  // the page shows three

/// With so many significant digits; null for what JSON has no number for.
Ordered rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return Ordered::parse(fmt::format("{:.{}g}", value, kDigits));
}

void refuse_unknown(const JsonObject& object, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.json().items()) {
    if (std::ranges::find(known, key) == known.end()) {
      throw ConfigError(kWhere, fmt::format("expected no key '{}', got it", printable(key)));
    }
  }
}

double number(const JsonObject& object, std::string_view key, double otherwise) {
  const Json* value = object.find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) object.refuse(key, "a number");
  return value->get<double>();
}

std::vector<int32_t> order_of(const JsonObject& object) {
  const Json* value = object.find("order");
  std::vector<int32_t> order;
  if (value == nullptr) return order;
  if (!value->is_array() || value->size() > kMostTokens) {
    object.refuse("order", fmt::format("a list of at most {} positions", kMostTokens));
  }
  for (const auto& position : *value) {
    if (!position.is_number_unsigned() || position.get<uint64_t>() >= kMostTokens) {
      object.refuse("order", fmt::format("positions below {}", kMostTokens), position);
    }
    order.push_back(position.get<int32_t>());
  }
  return order;
}

std::optional<std::vector<std::string>> sentences_of(const JsonObject& object) {
  const Json* value = object.find("sentences");
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) object.refuse("sentences", "a list of texts");
  std::vector<std::string> sentences;
  for (const auto& sentence : *value) {
    if (!sentence.is_string()) object.refuse("sentences", "texts", sentence);
    sentences.push_back(sentence.get<std::string>());
  }
  return sentences;
}

/// "all", or {"layer": 1, "head": 3}, counted from 1.
void set_attention(const JsonObject& object, LookRequest& request) {
  const Json* value = object.find("attention");
  if (value == nullptr || *value == "all") return;
  if (!value->is_object()) object.refuse("attention", "\"all\" or an object with layer and head");
  const auto wanted = object.below("attention", *value);
  refuse_unknown(wanted, {"layer", "head"});
  if (const auto layer = wanted.size("layer")) request.layer = *layer - 1;
  if (const auto head = wanted.size("head")) request.head = *head - 1;
}

/// "none", "mean", or a head, counted from 1.
void set_scores(const JsonObject& object, LookRequest& request) {
  const Json* value = object.find("scores");
  if (value == nullptr || *value == "none") return;
  if (*value == "mean") {
    request.scores = ScoresOf::mean;
    return;
  }
  if (!value->is_number_unsigned() || *value == 0) object.refuse("scores", "\"none\", \"mean\" or a head, from 1");
  request.scores = ScoresOf::head;
  request.scores_head = value->get<size_t>() - 1;
}

Ordered shares_json(const SumInParts& parts) {
  Ordered shares{{"token", rounded(parts.share.token)},
                 {"position", rounded(parts.share.position)},
                 {"segment", rounded(parts.share.segment)},
                 {"common", rounded(parts.share.common)}};
  if (parts.share.together) shares["together"] = rounded(*parts.share.together);
  shares["noise"] = rounded(parts.noise_share);
  return shares;
}

Ordered read_back_json(const LookToken& token) {
  if (!token.read_back) return nullptr;
  const auto& [other, margin, exact, is_token, is_position, is_segment] = *token.read_back;
  return {{"itself", exact},
          {"margin", rounded(margin)},
          {"token", token.other_token},
          {"position", other.position},
          {"segment", other.segment}};
}

Ordered token_json(const LookToken& token) {
  const auto& parts = token.parts;
  return {{"id", token.id},
          {"token", token.token},
          {"position", token.position},
          {"segment", token.segment},
          {"special", token.special},
          {"second", token.second},
          {"bytes", {token.bytes.begin, token.bytes.end}},
          {"norm", rounded(parts.norm)},
          {"norms",
           {{"token", rounded(parts.token_norm)},
            {"position", rounded(parts.position_norm)},
            {"segment", rounded(parts.segment_norm)},
            {"noise", rounded(parts.noise_norm)}}},
          {"shares", shares_json(parts)},
          {"read_back", read_back_json(token)}};
}

/// A byte for the square root of each weight, so that small weights keep two digits.
std::string attention_codes(const std::vector<Table>& attention) {
  std::vector<uint8_t> codes;
  for (const auto& matrix : attention) {
    for (const double weight : lab::elements(matrix)) {
      codes.push_back(static_cast<uint8_t>(std::lround(255 * std::sqrt(std::clamp(weight, 0.0, 1.0)))));
    }
  }
  return base64(codes);
}

/// Little-endian floats: sixteen matrices, the query's token part with every part of the key first, then their sum.
std::string score_floats(const lab::LogitTerms& terms) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<float> values;
  const auto add = [&](const Table& table) {
    for (const double value : lab::elements(table)) values.push_back(static_cast<float>(value));
  };
  for (const auto& row : terms.of) {
    for (const auto& term : row) add(term);
  }
  add(terms.sum());
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return base64(bytes);
}

Ordered fillings_json(const std::vector<Filling>& fillings) {
  auto list = Ordered::array();
  for (const auto& filling : fillings) list.push_back({{"token", filling.token}, {"score", rounded(filling.score)}});
  return list;
}

/// Of a layer or head that was asked for, from 1; null where all were.
Ordered number_from_1(std::optional<size_t> index) {
  return index ? Ordered(*index + 1) : Ordered(nullptr);
}

/// Bytes that are not UTF-8, which a text may have, read as U+FFFD.
std::string text_of(const Ordered& json) {
  return json.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

}  // namespace

std::string to_json(const LiveFacts& facts) {
  return text_of({{"name", facts.name},
                  {"layers", facts.layers},
                  {"heads", facts.heads},
                  {"hidden", facts.hidden},
                  {"limit", facts.limit},
                  {"has_mask_head", !facts.mask_token.empty()},
                  {"mask_token", facts.mask_token},
                  {"unknown_token", facts.unknown_token},
                  {"takes_pairs", facts.takes_pairs},
                  {"has_vectors", facts.has_vectors},
                  {"adds_three_tables", facts.adds_three_tables},
                  {"composition", facts.composition},
                  {"formula", facts.formula},
                  {"strengths", {{"token", facts.token}, {"position", facts.position}, {"segment", facts.segment}}}});
}

LookRequest look_request(std::string_view json) {
  const JsonObject object(parse_json(json, kWhere), kWhere);
  refuse_unknown(object,
                 {"model", "text", "pair", "strengths", "order", "noise", "seed", "attention", "scores", "sentences"});
  const auto strengths = object.object_or_empty("strengths");
  refuse_unknown(strengths, {"token", "position", "segment"});
  LookRequest request{.text = object.require("text", object.string("text"), "a text"),
                      .text_pair = object.string("pair"),
                      .strengths = {.token = number(strengths, "token", 1),
                                    .position = number(strengths, "position", 1),
                                    .segment = number(strengths, "segment", 1)},
                      .order = order_of(object),
                      .noise = number(object, "noise", 0),
                      .seed = object.number("seed").value_or(0),
                      .sentences = sentences_of(object)};
  set_attention(object, request);
  set_scores(object, request);
  return request;
}

std::string to_json(const Look& look, const LookRequest& request) {
  auto tokens = Ordered::array();
  for (const auto& token : look.tokens) tokens.push_back(token_json(token));
  auto masks = Ordered::array();
  for (const auto& mask : look.masks) {
    masks.push_back({{"token", mask.token},
                     {"fillings", fillings_json(mask.fillings)},
                     {"unchanged", fillings_json(mask.unchanged)}});
  }
  auto neighbours = Ordered::array();
  for (const auto& [sentence, cosine, unchanged] : look.neighbours) {
    neighbours.push_back({{"sentence", sentence}, {"cosine", rounded(cosine)}, {"unchanged", rounded(unchanged)}});
  }
  Ordered scores;
  if (look.scores) {
    const bool is_mean = request.scores == ScoresOf::mean;
    scores = {{"head", is_mean ? Ordered("mean") : Ordered(request.scores_head + 1)},
              {"floats", score_floats(*look.scores)}};
  }
  return text_of({{"version", kLookVersion},
                  {"cut", look.cut},
                  {"changed", look.changed},
                  {"tokens", std::move(tokens)},
                  {"attention",
                   {{"layers", look.layers},
                    {"heads", look.heads},
                    {"layer", number_from_1(request.layer)},
                    {"head", number_from_1(request.head)},
                    {"codes", attention_codes(look.attention)}}},
                  {"scores", std::move(scores)},
                  {"masks", std::move(masks)},
                  {"vector", look.vector.empty() ? Ordered(nullptr) : Ordered({{"cosine", rounded(look.cosine)}})},
                  {"sentences", look.sentences},
                  {"neighbours", std::move(neighbours)}});
}

}  // namespace summand::serve::live
