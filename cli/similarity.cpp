#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/embedder.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"
#include "summand/similarity.hpp"

namespace summand::cli {

namespace {

constexpr size_t kLabelWidth = 76;

struct Options {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  EmbedFlags embed;
};

void print(const std::vector<text::InputRecord>& records, const Matrix<double>& similarity) {
  Table texts({{"", Align::right, ""}, {"text", Align::left, ""}});
  std::vector<Table::Column> columns{{"", Align::right, ""}};
  for (size_t i = 0; i < records.size(); ++i) {
    texts.add({std::to_string(i + 1), shortened(label_of(records[i]), kLabelWidth)});
    columns.push_back({std::to_string(i + 1), Align::right, ""});
  }
  texts.print(stdout);
  fmt::print("\n");
  Table matrix(columns);
  for (size_t i = 0; i < records.size(); ++i) {
    std::vector<std::string> cells{std::to_string(i + 1)};
    for (size_t j = 0; j < records.size(); ++j) cells.push_back(fixed(similarity(i, j), 2));
    matrix.add(std::move(cells));
  }
  matrix.print(stdout);
}

void run(const Options& options) {
  const auto model = load(options.model, options.common);
  const api::Embedder embedder(model, embed_options(options.embed));
  const auto records = InputTexts(options.input).rest();
  const auto embeddings = embedder.embed(records);
  report_notices(model);
  report_fallback(model, options.embed);
  report_prompt(model, embedder, options.embed);
  report_length({.texts = records.size(), .texts_cut = embeddings.texts_cut, .windows = embeddings.windows}, embedder,
                options.embed);
  const auto similarity = cosine_similarity(embeddings.vectors);
  if (!options.common.json) return print(records, similarity);
  nlohmann::ordered_json json;
  json["texts"] = nlohmann::ordered_json::array();
  json["similarity"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < records.size(); ++i) {
    json["texts"].push_back(label_of(records[i]));
    json["similarity"].push_back(similarity.row(i));
  }
  print_json(json);
}

}  // namespace

void add_similarity(CLI::App& program) {
  auto* verb = program.add_subcommand("similarity", "Cosine similarity of every pair of texts, as a table");
  const auto options = std::make_shared<Options>();
  add_model(*verb, options->model);
  add_precision(*verb, options->model);
  add_input(*verb, options->input);
  add_embed_flags(*verb, options->embed);
  add_common(*verb, options->common);
  verb->footer("Example:\n  summand similarity --model DIR --text 'a cat' --text 'a kitten'");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
