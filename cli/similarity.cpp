#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/base_names.hpp"
#include "api/embedding/embedder.hpp"
#include "api/embedding/embedding_file.hpp"
#include "api/outputs/output.hpp"
#include "api/outputs/record_ids.hpp"
#include "api/search/similarity.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/print_json.hpp"
#include "cli/similarity_option.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "terminal/number_text.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/table.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

/// Most columns of a readable table.
constexpr size_t kMostColumns = 60;
/// Similarities beyond which JSON takes more memory than the texts' vectors.
constexpr size_t kMostNumbers = 4'000'000;
/// Similarities that are computed before they are written.
constexpr size_t kBlockNumbers = size_t{1} << 22;

struct SimilarityRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  EmbedFlags embed;
  std::string similarity;  // empty: the model's
  OutputFlags out;
};

/// How the tables call a text: by its id, else by its number.
std::string name_of(const text::InputRecord& record, size_t index) {
  return record.id.empty() ? std::to_string(index + 1) : terminal::shortened(shown_id(id_json(record.id)), kIdWidth);
}

using Records = std::vector<text::InputRecord>;

/// The texts to compare: with each other, or with others.
struct Texts {
  Records rows;
  std::optional<Records> others;

  [[nodiscard]] const Records& columns() const { return others ? *others : rows; }
};

Texts read(const SimilarityRequest& options) {
  const auto& paths = options.input.paths;
  if (paths.size() < 2) return {.rows = InputTexts(options.input).rest(), .others = {}};
  if (paths.size() > 2) {
    throw api::UsageError("similarity", fmt::format("expected one input, or two to compare, got {}", paths.size()));
  }
  if (paths[0] == "-" && paths[1] == "-") {
    throw api::UsageError("input", "expected standard input, -, once, got it again");
  }
  const auto one = [&](const std::string& path) {
    InputOptions input = options.input;
    input.paths = {path};
    return InputTexts(input).rest();
  };
  return {.rows = one(paths[0]), .others = one(paths[1])};
}

/// Refuses a matrix that is too large to print before computing it.
void check_size(const Texts& texts, const SimilarityRequest& options) {
  const size_t rows = texts.rows.size();
  const size_t columns = texts.columns().size();
  constexpr auto kInstead = "write all with -o OUT.npy, or find the nearest with 'summand search'";
  if (!options.common.json && columns > kMostColumns) {
    throw api::UsageError("similarity", fmt::format("expected at most {} columns for a table, got {}: {}", kMostColumns,
                                                    columns, kInstead));
  }
  if (columns > 0 && rows > kMostNumbers / columns) {
    throw api::UsageError("similarity", fmt::format("expected at most {} similarities to print, got {} x {}: {}",
                                                    kMostNumbers, rows, columns, kInstead));
  }
}

void print(const Texts& texts, const Matrix<double>& similarity) {
  const auto list = [](const Records& records, const std::string& heading) {
    terminal::Table table({{"", terminal::Align::right, ""}, {heading, terminal::Align::left, ""}});
    for (size_t i = 0; i < records.size(); ++i) {
      table.add({name_of(records[i], i), terminal::shortened(record_label(records[i]), terminal::kTextWidth)});
    }
    table.print(stdout);
    fmt::print("\n");
  };
  list(texts.rows, texts.others ? "row" : "text");
  if (texts.others) list(*texts.others, "column");
  std::vector<terminal::Table::Column> columns{{"", terminal::Align::right, ""}};
  for (size_t j = 0; j < similarity.columns(); ++j) {
    columns.push_back({name_of(texts.columns()[j], j), terminal::Align::right, ""});
  }
  terminal::Table matrix(columns);
  for (size_t i = 0; i < similarity.rows(); ++i) {
    std::vector<std::string> cells{name_of(texts.rows[i], i)};
    for (const double value : similarity.row(i)) cells.push_back(terminal::fixed(value, 2));
    matrix.add(std::move(cells));
  }
  matrix.print(stdout);
}

/// Nothing where no record has an id.
void add_ids(nlohmann::ordered_json& json, const char* key, const Records& records) {
  if (std::ranges::all_of(records, [](const auto& record) { return record.id.empty(); })) return;
  for (const auto& record : records) json[key].push_back(id_json(record.id));
}

nlohmann::ordered_json labels(const Records& records) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& record : records) json.push_back(record_label(record));
  return json;
}

void print_as_json(const Texts& texts, const Matrix<double>& similarity, Similarity measure) {
  nlohmann::ordered_json json;
  add_ids(json, "ids", texts.rows);
  json["texts"] = labels(texts.rows);
  if (texts.others) {
    add_ids(json, "other_ids", *texts.others);
    json["others"] = labels(*texts.others);
  }
  json["similarity_fn_name"] = spelled(measure);
  json["similarity"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < similarity.rows(); ++i) json["similarity"].push_back(similarity.row(i));
  print_json(json);
}

/// Some rows at a time: memory holds the vectors and these.
void write(MatrixView<const float> rows, MatrixView<const float> columns, const std::string& out,
           const api::Comparison& comparison) {
  api::OutputFile file(out);
  api::SimilarityFile similarities(file, columns, rows.rows(), comparison);
  const size_t step = std::max<size_t>(1, kBlockNumbers / std::max<size_t>(1, columns.rows()));
  for (size_t begin = 0; begin < rows.rows(); begin += step) {
    similarities.append(rows.middle_rows(begin, std::min(step, rows.rows() - begin)));
  }
  similarities.finish();
  api::write_ids({}, out);  // remove the ids of another matrix first
  file.commit();
}

void run(const SimilarityRequest& options) {
  static constexpr std::array<std::string_view, 1> kEndings{".npy"};
  const std::string out = options.out.path.empty() ? "" : checked_output(options.out, kEndings);
  refuse_input_as_output(options.input.paths, out);
  if (!out.empty()) api::check_vector_output(out, api::VectorFormat::npy, options.out.existing());
  refuse_terminal(out, "a .npy");
  const Texts texts = read(options);
  if (out.empty()) check_size(texts, options);
  const auto model = load(options.model, options.common);
  const api::Embedder embedder(model, embed_options(options.embed));
  const auto rows = embedder.embed(texts.rows);
  const auto others = texts.others ? embedder.embed(*texts.others) : api::Embeddings();
  api::ReadCount count = rows.count;
  count.add(others.count);
  report_notices(model);
  report_fallback(model, options.embed);
  report_prompt(model, embedder, options.embed);
  report_unknown(count);
  report_repeated(count);
  report_length(count, embedder, options.embed);
  report_similarity(options.similarity, model);
  const auto& columns = texts.others ? others.vectors : rows.vectors;
  const api::Comparison comparison{.measure = chosen_similarity(options.similarity, model),
                                   .threads = options.common.threads};
  if (!out.empty()) {
    write(rows.vectors.view(), columns.view(), out, comparison);
    api::write_ids(api::record_ids(texts.rows), out);
    if (options.common.json) {
      print_json({{"out", out},
                  {"rows", rows.vectors.rows()},
                  {"columns", columns.rows()},
                  {"similarity_fn_name", spelled(comparison.measure)}});
    } else {
      terminal::print_to_stderr("{} x {} similarities ({}) in {}", rows.vectors.rows(), columns.rows(),
                                spelled(comparison.measure), out);
    }
    return;
  }
  const auto similarity = api::similarities(rows.vectors.view(), columns.view(), comparison);
  if (options.common.json) return print_as_json(texts, similarity, comparison.measure);
  print(texts, similarity);
}

}  // namespace

void add_similarity(CLI::App& program) {
  auto* verb = program.add_subcommand("similarity", "Compare every pair of texts, or the texts of two files");
  const auto options = std::make_shared<SimilarityRequest>();
  add_model(*verb, options->model);
  add_engine(*verb, options->model);
  add_input(*verb, options->input);
  add_output(*verb, options->out, "OUT.npy: write the matrix (float32) instead of printing it");
  add_similarity_option(*verb, options->similarity);
  add_text_pair(*verb, options->input);
  add_embed_flags(*verb, options->embed);
  add_common(*verb, options->common);
  verb->footer(
      "Example:\n  summand similarity --model DIR --text 'a cat' --text 'a kitten'\n"
      "  summand similarity --model DIR questions.txt answers.txt\n"
      "  summand similarity --model DIR questions.txt answers.txt -o cosines.npy");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
