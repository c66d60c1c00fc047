#include "api/parts.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/tokenizing.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/table.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "model/composition.hpp"

namespace summand::cli {

namespace {

struct PartsRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  LengthFlags length;
};

std::string norm(double value) {
  return fixed(value, 2);
}

std::string share_text(double share) {
  return percent(share, 1);
}

bool has_together(const api::TextParts& parts) {
  return parts.share_over_tokens.together.has_value();
}

/// The common vector of a sum is the same for every token: no share.
std::string shares_text(const api::PartShares& share) {
  std::string text = fmt::format("token {}, position {}, segment {}", share_text(share.token),
                                 share_text(share.position), share_text(share.segment));
  if (share.together) text += fmt::format(", together {}", share_text(*share.together));
  if (share.common != 0) text += fmt::format(", common {}", share_text(share.common));
  return text;
}

/// "token_gate" is the token's.
std::string part_of_gate(const model::GateValue& gate) {
  constexpr std::string_view kEnd = "_gate";
  return gate.name.ends_with(kEnd) ? gate.name.substr(0, gate.name.size() - kEnd.size()) : gate.name;
}

std::vector<Table::Column> columns_of(const api::TextParts& parts, bool is_sum) {
  std::vector<Table::Column> columns{{"", Align::left, ""}, {"pos", Align::right, ""}, {"seg", Align::right, ""}};
  const auto add_group = [&](const std::string& group, bool with_common) {
    for (const char* part : {"token", "position", "segment"}) columns.push_back({part, Align::right, group});
    if (has_together(parts)) columns.push_back({"together", Align::right, group});
    if (with_common) columns.push_back({"common", Align::right, group});
  };
  add_group(is_sum ? "norm of the row" : "norm, as it enters", false);
  add_group("norm, centred", false);
  add_group(is_sum ? "share of the sum" : "share of x", true);
  if (parts.tokens.empty()) return columns;
  for (const auto& gate : parts.tokens[0].gates) columns.push_back({part_of_gate(gate), Align::right, "gate"});
  return columns;
}

std::vector<std::string> cells_of(const api::TokenParts& token) {
  std::vector<std::string> cells{shortened(token.token, 24), std::to_string(token.position),
                                 std::to_string(token.segment)};
  const auto add = [&](std::initializer_list<std::string> more) { cells.insert(cells.end(), more); };
  add({norm(token.token_norm), norm(token.position_norm), norm(token.segment_norm)});
  if (token.together_norm) add({norm(*token.together_norm)});
  add({norm(token.centred_token_norm), norm(token.centred_position_norm), norm(token.centred_segment_norm)});
  if (token.centred_together_norm) add({norm(*token.centred_together_norm)});
  add({share_text(token.share.token), share_text(token.share.position), share_text(token.share.segment)});
  if (token.share.together) add({share_text(*token.share.together)});
  add({share_text(token.share.common)});
  for (const auto& gate : token.gates) add({norm(gate.mean)});
  return cells;
}

/// What the columns mean.
std::string meaning(const model::Composition& composition, const api::TextParts& parts) {
  if (std::holds_alternative<model::Sum>(composition)) {
    return "sum = common + token + position + segment, each table less its mean row; the three means make the common "
           "vector.\nshare of the sum: Cov(part, sum)/Var(sum) over the coordinates of a token.\n";
  }
  const bool is_joint = std::holds_alternative<model::JointTable>(composition);
  std::string text =
      fmt::format("{}: x = {}; x = common + token + position + segment{}.\n", model::name_of(composition),
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
  return text + "share of x: Cov(part, x)/Var(x) over the coordinates of a token.\n";
}

void print(const model::Composition& composition, const api::TextParts& parts) {
  Table table(columns_of(parts, std::holds_alternative<model::Sum>(composition)));
  for (const auto& token : parts.tokens) table.add(cells_of(token));
  table.print(stdout);
  fmt::print("\n{}over the tokens of the text: {}\n  without [CLS] and [SEP], whose rows are unlike any word's: {}\n",
             meaning(composition, parts), shares_text(parts.share_over_tokens), shares_text(parts.share_over_text));
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
  json["share_over_tokens"] = to_json(parts.share_over_tokens);
  json["share_over_text"] = to_json(parts.share_over_text);
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
    api::add_to(count, encoding, model.tokenizer());
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
  auto* verb = program.add_subcommand("parts",
                                      "Token by token: norms of the token, position and segment rows, and each one's "
                                      "share of what is composed of them");
  const auto options = std::make_shared<PartsRequest>();
  add_model(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand parts --model DIR --text 'The bank of the river.'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
