#include "api/search/search.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "api/base_names.hpp"
#include "cli/embed_options.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/print_json.hpp"
#include "cli/search_corpus.hpp"
#include "cli/similarity_option.hpp"
#include "cli/unknown_words.hpp"
#include "cli/verbs.hpp"
#include "terminal/number_text.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/table.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

/// Queries that are embedded and answered at a time.
constexpr size_t kQueries = 1024;

struct SearchRequest {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  EmbedFlags embed;
  std::vector<std::string> queries;
  CorpusOptions corpus;
  std::string corpus_prompt_name;
  std::string corpus_prompt;
  bool has_corpus_prompt = false;
  std::string similarity;  // empty: the model's
  size_t top = 10;
};

/// The queries' options but for the prompt: models have one for each side.
EmbedFlags corpus_flags(const SearchRequest& options) {
  EmbedFlags flags = options.embed;
  flags.prompt_name = options.corpus_prompt_name;
  flags.prompt = options.corpus_prompt;
  flags.has_prompt = options.has_corpus_prompt;
  return flags;
}

/// As messages about prompts call the options of the corpus.
api::Embedder embedder_of_corpus(const api::LoadedModel& model, const SearchRequest& options) {
  const bool has_prompt = options.has_corpus_prompt || !options.corpus_prompt_name.empty();
  if (has_prompt && std::filesystem::path(options.corpus.path).extension() == ".npy") {
    throw api::UsageError("corpus-prompt", "expected a corpus of texts to put a prompt before, got vectors");
  }
  try {
    return {model, embed_options(corpus_flags(options))};
  } catch (const api::UsageError& error) {
    if (error.where() != "prompt-name") throw;
    throw api::UsageError("corpus-prompt-name", error.message());
  }
}

InputOptions query_input(const SearchRequest& options) {
  InputOptions input = options.input;
  for (size_t i = 0; i < options.queries.size(); ++i) {
    check_utf8(input, fmt::format("--query {}", i + 1), options.queries[i]);
  }
  input.texts.insert(input.texts.end(), options.queries.begin(), options.queries.end());
  for (const auto& path : input.paths) {
    std::error_code unknown;
    const std::filesystem::path file = path;
    if (path == "-" || !file.extension().empty() || std::filesystem::exists(file, unknown)) continue;
    throw api::UsageError("search",
                          fmt::format("expected --query TEXT or a file of queries, got '{}'", api::printable(path)));
  }
  if (input.is_empty()) {
    throw api::UsageError("search", "expected queries, as --query TEXT or INPUT, got none");
  }
  return input;
}

/// The best rows for one query, and their labels.
struct Found {
  const text::InputRecord& query;
  const std::vector<api::Hit>& hits;
  const CorpusLabels& labels;
  Similarity similarity;
};

void print_table(const Found& found) {
  const auto& [query, hits, labels, similarity] = found;
  fmt::print("{}\n", terminal::shortened(record_label(query), terminal::kTextWidth));
  const bool has_ids = std::ranges::any_of(labels, [](const auto& label) { return label.second.id.has_value(); });
  const bool has_texts = std::ranges::any_of(labels, [](const auto& label) { return label.second.text.has_value(); });
  std::vector<terminal::Table::Column> columns{{"rank", terminal::Align::right, ""},
                                               {"score", terminal::Align::right, ""},
                                               {"line", terminal::Align::right, ""}};
  if (has_ids) columns.push_back({"id", terminal::Align::left, ""});
  if (has_texts) columns.push_back({"text", terminal::Align::left, ""});
  terminal::Table table(columns);
  for (size_t rank = 0; rank < hits.size(); ++rank) {
    const auto& hit = hits[rank];
    std::vector<std::string> cells{std::to_string(rank + 1), terminal::fixed(hit.score, 4),
                                   std::to_string(hit.index + 1)};
    if (has_ids)
      cells.push_back(terminal::shortened(shown_id(labels.at(hit.index).id.value_or(nullptr)), terminal::kTextWidth));
    if (has_texts) cells.push_back(terminal::shortened(labels.at(hit.index).text.value_or(""), terminal::kTextWidth));
    table.add(std::move(cells));
  }
  table.print(stdout);
  fmt::print("\n");
}

void print_line(const Found& found) {
  const auto& [query, hits, labels, similarity] = found;
  nlohmann::ordered_json line{{"query", record_label(query)},
                              {"similarity_fn_name", spelled(similarity)},
                              {"hits", nlohmann::ordered_json::array()}};
  for (size_t rank = 0; rank < hits.size(); ++rank) {
    const auto& hit = hits[rank];
    nlohmann::ordered_json shown{{"rank", rank + 1}, {"index", hit.index}};
    const auto label = labels.find(hit.index);
    if (label != labels.end() && label->second.id) shown["id"] = *label->second.id;
    shown["score"] = hit.score;
    if (label != labels.end() && label->second.text) shown["text"] = *label->second.text;
    line["hits"].push_back(std::move(shown));
  }
  print_json_line(with_id(query.id, std::move(line)));
}

/// Finds and prints the hits of some queries.
void answer(const std::vector<text::InputRecord>& queries, const Matrix<float>& vectors, const SearchCorpus& corpus,
            const SearchRequest& options, Similarity similarity) {
  api::Search search(
      {vectors.view(), "queries"},
      {.top = std::min(options.top, corpus.rows()), .similarity = similarity, .threads = options.common.threads});
  corpus.add_to(search);
  const auto hits = search.hits();
  std::set<size_t> rows;
  for (const auto& of_query : hits) {
    for (const auto& hit : of_query) rows.insert(hit.index);
  }
  const auto labels = corpus.labels(rows);
  for (size_t query = 0; query < queries.size(); ++query) {
    const auto print = options.common.json ? print_line : print_table;
    print({queries[query], hits[query], labels, similarity});
  }
}

/// Reads, embeds and answers all queries, some at a time.
api::ReadCount answer_all(InputTexts& texts, const api::Embedder& embedder, const SearchCorpus& corpus,
                          const SearchRequest& options) {
  api::ReadCount count;
  const auto similarity = chosen_similarity(options.similarity, embedder.model());
  std::vector<text::InputRecord> queries;
  const auto finish = [&] {
    const auto embeddings = embedder.embed(queries);
    count.add(embeddings.count);
    answer(queries, embeddings.vectors, corpus, options, similarity);
    queries.clear();
  };
  while (auto record = texts.next()) {
    queries.push_back(std::move(*record));
    if (queries.size() == kQueries) finish();
  }
  if (!queries.empty()) finish();
  return count;
}

void run(const SearchRequest& options) {
  const auto input = query_input(options);
  const auto model = load(options.model, options.common);
  const api::Embedder embedder(model, embed_options(options.embed));
  InputTexts texts(input);
  const auto flags_of_corpus = corpus_flags(options);
  const auto corpus_embedder = embedder_of_corpus(model, options);
  CorpusOptions where = options.corpus;
  where.invalid_utf8 = options.input.invalid_utf8;
  const SearchCorpus corpus(where, corpus_embedder);
  auto count = answer_all(texts, embedder, corpus, options);
  count.add(corpus.count());
  report_notices(model);
  report_fallback(model, options.embed);
  report_prompt(model, embedder, options.embed, "every query");
  if (corpus.count().texts > 0) report_prompt(model, corpus_embedder, flags_of_corpus, "every text of the corpus");
  report_similarity(options.similarity, model);
  if (const auto notice = corpus.notice()) terminal::print_to_stderr("{}", *notice);
  report_unknown(count);
  report_repeated(count);
  report_length(count, embedder, options.embed);
}

void add_corpus(CLI::App& verb, SearchRequest& options) {
  verb.add_option("--corpus", options.corpus.path,
                  "Where to search: a .npy file of vectors, as embed writes it, or a file of texts")
      ->required()
      ->option_text("FILE");
  verb.add_option("--corpus-texts", options.corpus.texts, "The texts to show for a corpus of vectors")
      ->option_text("FILE");
  verb.add_option("--corpus-format", options.corpus.format, "Like --format, for a corpus of texts")
      ->check(terminal::one_of({"txt", "jsonl", "csv", "tsv"}))
      ->option_text("txt|jsonl|csv|tsv");
  verb.add_option("--corpus-field", options.corpus.field, "Like --field, for a corpus of texts")->option_text("NAME");
  auto* name = verb.add_option("--corpus-prompt-name", options.corpus_prompt_name,
                               "Like --prompt-name, which is for queries, for a corpus of texts");
  verb.add_option("--corpus-prompt", options.corpus_prompt,
                  "Like --prompt, which is for queries, for a corpus of texts")
      ->each([&options](const std::string&) { options.has_corpus_prompt = true; })
      ->excludes(name);
}

}  // namespace

void add_search(CLI::App& program) {
  auto* verb = program.add_subcommand("search", "Find the texts of a corpus most similar to each query");
  const auto options = std::make_shared<SearchRequest>();
  add_model(*verb, options->model);
  add_engine(*verb, options->model);
  verb->add_option("--query", options->queries,
                   "A query on the command line; may be repeated. INPUT and --text are queries too")
      ->allow_extra_args(false)
      ->option_text("TEXT");
  add_input(*verb, options->input);
  add_corpus(*verb, *options);
  verb->add_option("--top", options->top, "Hits for each query")->check(terminal::whole_number(1))->option_text("N=10");
  add_similarity_option(*verb, options->similarity);
  add_embed_flags(*verb, options->embed);
  add_common(*verb, options->common);
  verb->footer(
      "All vectors are compared, in double precision; of equal scores, lower lines come first.\n"
      "A corpus of vectors may be float32, float16, float64, int8 or uint8 (read as the lower ends of their steps,\n"
      "with FILE.ranges.npy) or bits (read as +1 and -1). Ids come from FILE.ids.jsonl, one JSON value per line.\n"
      "With --json one object per query and line:\n"
      "{\"query\":…,\"similarity_fn_name\":…,\"hits\":[{\"rank\":…,\"index\":…,\"score\":…,\"text\":…}]}\n"
      "rank counts from 1; index is the place in the corpus, from 0; id and text appear if they are known.\n"
      "Examples:\n"
      "  summand search --model DIR --corpus sentences.txt --query 'a river in spring' --top 3\n"
      "  summand embed --model DIR sentences.txt -o vectors.npy\n"
      "  summand search --model DIR --corpus vectors.npy --corpus-texts sentences.txt queries.txt --json");
  verb->callback([options] { run(*options); });
}

}  // namespace summand::cli
