#include "api/inspection/parts.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "model/composition.hpp"
#include "terminal/number_text.hpp"
#include "terminal/table.hpp"
#include "text/encode_text.hpp"

namespace summand::cli {

namespace {

struct PartsRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  LengthFlags length;
};

std::string norm(double value) {
  return terminal::fixed(value, 2);
}

std::string share_text(double share) {
  return terminal::percent(share, 1);
}

bool has_together(const api::TextParts& parts) {
  return parts.share_between_tokens.together.has_value();
}

std::vector<std::string> share_cells(const api::PartShares& share) {
  std::vector<std::string> cells{share_text(share.token), share_text(share.position), share_text(share.segment),
                                 share_text(share.common)};
  if (share.together) cells.push_back(share_text(*share.together));
  return cells;
}

/// "token_gate" is the token's.
std::string part_of_gate(const model::GateValue& gate) {
  constexpr std::string_view kEnd = "_gate";
  return gate.name.ends_with(kEnd) ? gate.name.substr(0, gate.name.size() - kEnd.size()) : gate.name;
}

std::vector<terminal::Table::Column> columns_of(const api::TextParts& parts, bool is_sum) {
  std::vector<terminal::Table::Column> columns{
      {"", terminal::Align::left, ""}, {"pos", terminal::Align::right, ""}, {"seg", terminal::Align::right, ""}};
  const auto add_group = [&](const std::string& group, bool with_common) {
    for (const char* part : {"token", "position", "segment"}) columns.push_back({part, terminal::Align::right, group});
    if (with_common) columns.push_back({"common", terminal::Align::right, group});
    if (has_together(parts)) columns.push_back({"together", terminal::Align::right, group});
  };
  add_group(is_sum ? "norms of the rows" : "norms, as they enter", false);
  add_group("norms, centred", false);
  add_group(is_sum ? "shares of the sum" : "shares of the input", true);
  if (parts.tokens.empty()) return columns;
  for (const auto& gate : parts.tokens[0].gates)
    columns.push_back({part_of_gate(gate), terminal::Align::right, "gate"});
  return columns;
}

std::vector<std::string> cells_of(const api::TokenParts& token) {
  std::vector<std::string> cells{terminal::shortened(token.token, 24), std::to_string(token.position),
                                 std::to_string(token.segment)};
  const auto add = [&](std::initializer_list<std::string> more) { cells.insert(cells.end(), more); };
  add({norm(token.token_norm), norm(token.position_norm), norm(token.segment_norm)});
  if (token.together_norm) add({norm(*token.together_norm)});
  add({norm(token.centred_token_norm), norm(token.centred_position_norm), norm(token.centred_segment_norm)});
  if (token.centred_together_norm) add({norm(*token.centred_together_norm)});
  for (auto& share : share_cells(token.share)) cells.push_back(std::move(share));
  for (const auto& gate : token.gates) add({norm(gate.mean)});
  return cells;
}

/// Explanation of the columns.
std::string meaning(const model::Composition& composition, const api::TextParts& parts) {
  if (std::holds_alternative<model::Sum>(composition)) {
    return "sum = common + token + position + segment: each row less its table's mean row, and the three mean rows "
           "together.\nshare = Cov(part, sum)/Var(sum): of a token over its coordinates; between tokens over the "
           "tokens, at each coordinate.\n";
  }
  const bool is_joint = std::holds_alternative<model::JointTable>(composition);
  std::string text =
      fmt::format("{}: input = {} = common + token + position + segment{}.\n", model::name_of(composition),
                  model::formula_of(composition), has_together(parts) ? " + together" : "");
  text += is_joint
              ? "as it enters: the row, which all three have together; centred: the mean of all rows of the token, "
                "position or segment, less the mean of all, which is common.\n"
              : "as it enters: what the formula makes of each row as it is; centred: of it less its table's mean "
                "row; what it makes of the mean rows is common.\n";
  if (has_together(parts)) text += "together: what two or three make of one another, and none by itself.\n";
  if (!parts.tokens.empty() && !parts.tokens[0].gates.empty()) {
    text += "gate: a row's factor, the mean over coordinates; it counts as a number, whatever rows it was made of.\n";
  }
  return text +
         "share = Cov(part, input)/Var(input): of a token over its coordinates; between tokens over the tokens, at "
         "each coordinate.\n";
}

void print(const model::Composition& composition, const api::TextParts& parts) {
  terminal::Table table(columns_of(parts, std::holds_alternative<model::Sum>(composition)));
  for (const auto& token : parts.tokens) table.add(cells_of(token));
  // The laboratory's page has these rows under the same names.
  const auto add_whole = [&](const char* label, const api::PartShares& share) {
    auto cells = share_cells(share);
    if (!parts.tokens.empty()) cells.resize(cells.size() + parts.tokens[0].gates.size());
    table.add_whole(label, std::move(cells));
  };
  add_whole("between tokens", parts.share_between_tokens);
  if (parts.share_without_special) {
    add_whole("between tokens, without [CLS] and [SEP]", *parts.share_without_special);
  }
  table.print(stdout);
  fmt::print("\n{}", meaning(composition, parts));
}

nlohmann::ordered_json to_json(const api::PartShares& share) {
  nlohmann::ordered_json json{
      {"common", share.common}, {"token", share.token}, {"position", share.position}, {"segment", share.segment}};
  if (share.together) json["together"] = *share.together;
  return json;
}

nlohmann::ordered_json to_json(const api::TokenParts& token) {
  nlohmann::ordered_json json{
      {"token", token.token},
      {"position", token.position},
      {"segment", token.segment},
      {"norm", {{"token", token.token_norm}, {"position", token.position_norm}, {"segment", token.segment_norm}}},
      {"centred_norm",
       {{"token", token.centred_token_norm},
        {"position", token.centred_position_norm},
        {"segment", token.centred_segment_norm}}},
      {"share", to_json(token.share)}};
  if (token.together_norm) json["norm"]["together"] = *token.together_norm;
  if (token.centred_together_norm) json["centred_norm"]["together"] = *token.centred_together_norm;
  for (const auto& gate : token.gates) json["gate"][part_of_gate(gate)] = gate.mean;
  return json;
}

nlohmann::ordered_json to_json(const api::TextParts& parts) {
  nlohmann::ordered_json json{{"tokens", nlohmann::ordered_json::array()}};
  for (const auto& token : parts.tokens) json["tokens"].push_back(to_json(token));
  json["share_between_tokens"] = to_json(parts.share_between_tokens);
  if (parts.share_without_special) {
    json["share_between_tokens_without_special"] = to_json(*parts.share_without_special);
  }
  return json;
}

void run(const PartsRequest& options) {
  const auto model = load(options.model, options.common);
  const auto tables = api::input_tables(model);
  InputTexts texts(options.input);
  api::ReadCount count;
  const auto length = length_options(options.length);
  while (const auto record = texts.next()) {
    const auto encoding = model.encode(*record, length, model.position_limit());
    text::add_to(count, encoding, model.tokenizer());
    const auto parts = api::parts_of(tables, model.tokenizer(), encoding);
    if (options.common.json) {
      print_json_line(with_id(record->id, to_json(parts)));
    } else {
      if (count.texts > 0) fmt::print("\n");
      print(model.config().composition, parts);
    }
    ++count.texts;
  }
  report_notices(model);
  report_unknown(count);
  report_cut(count.texts_cut, count.texts, length.max_length.value_or(model.position_limit()));
}

}  // namespace

void add_parts(CLI::App& program) {
  auto* verb = program.add_subcommand(
      "parts",
      "Show, token by token, the norms of the token, position and segment rows and each part's share of the sum");
  const auto options = std::make_shared<PartsRequest>();
  add_model(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer(
      "With --json one object per text and line: {\"tokens\":[{\"token\":…,\"norm\":{…},\"centred_norm\":{…},\n"
      "\"share\":{\"common\":…,\"token\":…,\"position\":…,\"segment\":…}},…],\"share_between_tokens\":{…},\n"
      "\"share_between_tokens_without_special\":{…}}; the last is missing if a text has no special tokens around it.\n"
      "Example:\n"
      "  summand parts --model DIR --text 'The bank of the river.'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
