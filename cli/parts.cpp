#include "api/parts.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

namespace {

struct Options {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  LengthFlags length;
};

std::string norm(double value) {
  return fixed(value, 2);
}
std::string percent(double share) {
  return fixed(100 * share, 1) + " %";
}

void print(const api::TextParts& parts) {
  Table table({{"", Align::left, ""},
               {"pos", Align::right, ""},
               {"seg", Align::right, ""},
               {"token", Align::right, "norm of the row"},
               {"position", Align::right, "norm of the row"},
               {"segment", Align::right, "norm of the row"},
               {"token", Align::right, "norm, centred"},
               {"position", Align::right, "norm, centred"},
               {"segment", Align::right, "norm, centred"},
               {"token", Align::right, "share of the sum"},
               {"position", Align::right, "share of the sum"},
               {"segment", Align::right, "share of the sum"},
               {"common", Align::right, "share of the sum"}});
  for (const auto& token : parts.tokens) {
    table.add({shortened(token.token, 24), std::to_string(token.position), std::to_string(token.segment),
               norm(token.token_norm), norm(token.position_norm), norm(token.segment_norm),
               norm(token.centred_token_norm), norm(token.centred_position_norm), norm(token.centred_segment_norm),
               percent(token.share.token), percent(token.share.position), percent(token.share.segment),
               percent(token.share.common)});
  }
  table.print(stdout);
  const auto& over_tokens = parts.share_over_tokens;
  fmt::print(
      "\nsum = common + token + position + segment, each table less its mean row; the three means make the common "
      "vector.\nshare of the sum: Cov(part, sum)/Var(sum) over the coordinates of a token.\n"
      "over the tokens of the text: token {}, position {}, segment {}, common {}\n",
      percent(over_tokens.token), percent(over_tokens.position), percent(over_tokens.segment),
      percent(over_tokens.common));
}

nlohmann::ordered_json to_json(const api::PartShares& share) {
  return {{"common", share.common}, {"token", share.token}, {"position", share.position}, {"segment", share.segment}};
}

nlohmann::ordered_json to_json(const api::TextParts& parts) {
  nlohmann::ordered_json json{{"tokens", nlohmann::ordered_json::array()}};
  for (const auto& token : parts.tokens) {
    json["tokens"].push_back(
        {{"token", token.token},
         {"position", token.position},
         {"segment", token.segment},
         {"norm", {{"token", token.token_norm}, {"position", token.position_norm}, {"segment", token.segment_norm}}},
         {"centred_norm",
          {{"token", token.centred_token_norm},
           {"position", token.centred_position_norm},
           {"segment", token.centred_segment_norm}}},
         {"share", to_json(token.share)}});
  }
  json["share_over_tokens"] = to_json(parts.share_over_tokens);
  return json;
}

void run(const Options& options) {
  const auto model = load(options.model, options.common);
  const auto tables = api::input_tables(model);
  InputTexts texts(options.input);
  size_t count = 0;
  size_t cut = 0;
  const auto length = length_options(options.length);
  while (const auto record = texts.next()) {
    const auto encoding = model.encode(*record, length, model.position_limit());
    cut += encoding.cut > 0 ? 1 : 0;
    const auto parts = api::parts_of(tables, model.tokenizer(), encoding);
    if (options.common.json) {
      print_json_line(with_id(record->id, to_json(parts)));
    } else {
      if (count > 0) fmt::print("\n");
      print(parts);
    }
    ++count;
  }
  report_notices(model);
  report_cut(cut, count, length.max_length.value_or(model.position_limit()));
}

}  // namespace

void add_parts(CLI::App& program) {
  auto* verb = program.add_subcommand(
      "parts", "Token by token: norms of the token, position and segment rows, and each one's share of the sum");
  const auto options = std::make_shared<Options>();
  add_model(*verb, options->model);
  add_input(*verb, options->input);
  add_text_pair(*verb, options->input);
  add_length(*verb, options->length);
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand parts --model DIR --text 'The bank of the river.'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
