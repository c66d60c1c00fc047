#include "api/parts.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/tokenizing.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/table.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"

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

/// The common vector is the same for every token: no share.
std::string shares_text(const api::PartShares& share) {
  return fmt::format("token {}, position {}, segment {}", share_text(share.token), share_text(share.position),
                     share_text(share.segment));
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
               share_text(token.share.token), share_text(token.share.position), share_text(token.share.segment),
               share_text(token.share.common)});
  }
  table.print(stdout);
  fmt::print(
      "\nsum = common + token + position + segment, each table less its mean row; the three means make the common "
      "vector.\nshare of the sum: Cov(part, sum)/Var(sum) over the coordinates of a token.\n"
      "over the tokens of the text: {}\n"
      "  without [CLS] and [SEP], whose rows are unlike any word's: {}\n",
      shares_text(parts.share_over_tokens), shares_text(parts.share_over_text));
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
      print(parts);
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
      "parts", "Token by token: norms of the token, position and segment rows, and each one's share of the sum");
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
