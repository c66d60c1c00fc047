#include "serve/routes/scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "api/heads/classify.hpp"
#include "api/heads/rerank_activation.hpp"
#include "api/heads/scores.hpp"
#include "api/heads/text_logits.hpp"
#include "serve/routes/computing.hpp"
#include "serve/routes/numbers.hpp"
#include "serve/routes/sequences.hpp"

namespace summand::serve::routes {

namespace {

constexpr size_t kMostKept = 1'000'000'000;  // of top_n
constexpr size_t kEncodedSoon = 64;          // windows that a transformer over them reads in the small background

std::string required_string(Body& body, const char* field) {
  if (auto text = body.string(field)) return *std::move(text);
  body.refuse_missing(field);
}

std::vector<std::string> required_strings(Body& body, const char* field) {
  if (auto list = body.strings(field)) return *std::move(list);
  body.refuse_missing(field);
}

/// The logits of each item, by what its sequences contribute.
/// @param items  [rows], ascending
Rows logits_of_items(const api::LoadedModel& model, const Rows& rows, std::span<const size_t> items,
                     WindowPooling pooling) {
  Matrix<float> all(rows.size(), rows.empty() ? 0 : rows.front().size());
  std::vector<size_t> sequences{0};  // as in api::RecordBatch
  for (size_t row = 0; row < rows.size(); ++row) {
    std::ranges::copy(rows[row], all.row(row).begin());
    if (row + 1 == rows.size() || items[row + 1] != items[row]) sequences.push_back(row + 1);
  }
  const auto logits = api::logits_of_texts(model, model::Head::sequence_classification, all, sequences, pooling);
  Rows result;
  for (size_t item = 0; item < logits.rows(); ++item)
    result.emplace_back(logits.row(item).begin(), logits.row(item).end());
  return result;
}

/// Goes on with `combine`. A transformer over windows takes milliseconds for a text, so neither the server's loop nor
/// the worker runs it.
void combine_texts(const std::shared_ptr<Call>& call, const api::LoadedModel& model, size_t windows,
                   std::function<void()> combine) {
  if (model.window_encoder() == nullptr) return combine();
  Service& service = call->service();
  call->attempt_in(windows <= kEncodedSoon ? service.small_background : service.background, std::move(combine));
}

/// Computes the logits of each text, with those of its windows combined, and goes on with `then`.
void compute_texts(const std::shared_ptr<Call>& call, const std::vector<InputItem>& items, const char* field,
                   std::function<void(const Rows&)> then) {
  ServedModel& model = call->model();
  const Reading reading = head_reading(*call, model.model(), model::Head::sequence_classification, field);
  auto made = make_sequences(*call, model.model(), items, reading);
  const auto pooling = reading.windows.value_or(WindowOptions()).pooling;
  compute_labels(call, model, std::move(made.sequences),
                 [call, &model, items = std::move(made.items), pooling, then = std::move(then)](Rows rows) {
                   const size_t windows = rows.size();
                   // A std::function is copied, what it holds with it: the rows are not.
                   combine_texts(call, model.model(), windows,
                                 [&model, items, pooling, then, rows = std::make_shared<Rows>(std::move(rows))] {
                                   then(logits_of_items(model.model(), *rows, items, pooling));
                                 });
                 });
}

/// [{"score", "label"}, …], best first.
void append_labels(std::string& json, const model::Config& config, std::span<const float> logits, bool raw) {
  require_finite(logits);
  const auto scores = api::to_scores(logits, raw ? api::ScoreFunction::identity : api::score_function(config));
  json += '[';
  bool first = true;
  for (const size_t label : api::largest_indices(scores, scores.size())) {
    json += std::exchange(first, false) ? R"({"score":)" : R"(,{"score":)";
    append_number(json, static_cast<float>(scores[label]));
    json += R"(,"label":)";
    append_string(json, config.labels[label]);
    json += '}';
  }
  json += ']';
}

/// A query and its passages.
struct RankRequest {
  std::string query;
  std::vector<std::string> passages;
  bool raw = false;
  size_t top = 0;
  bool with_text = false;
};

/// A passage and its score.
struct Ranked {
  size_t index = 0;
  float score = 0;
};

std::vector<Ranked> ranked(const api::LoadedModel& model, const Rows& rows, const RankRequest& request) {
  const auto function =
      request.raw ? model::TorchActivation::identity : api::rerank_function(model.rerank_activation());
  std::vector<double> scores;
  for (const auto& row : rows) {
    require_finite(row);
    scores.push_back(model::activated(function, row[0]));
  }
  std::vector<Ranked> list;
  for (const size_t index : api::largest_indices(scores, request.top)) {
    list.push_back({.index = index, .score = static_cast<float>(scores[index])});
  }
  return list;
}

/// Ranks, and writes with `write`.
void rank(const std::shared_ptr<Call>& call, RankRequest request, const char* field,
          std::function<std::string(const std::vector<Ranked>&, const RankRequest&)> write) {
  ServedModel& model = call->model();
  if (model.task() != Task::rerank) {
    require_head(model, model::Head::sequence_classification);
    throw Refused{Fault::other_model,
                  fmt::format("the model '{}' is no reranker: it has {} labels, not one", model.name(),
                              model.model().config().labels.size()),
                  "model"};
  }
  if (request.passages.empty()) throw Refused{Fault::empty, fmt::format("`{}` cannot be empty", field), field};
  if (request.query.empty()) throw Refused{Fault::empty, "`query` cannot be empty", "query"};
  call->require_reading(request.query.size() * request.passages.size());  // before they are made
  std::vector<InputItem> items;
  for (const auto& passage : request.passages) items.push_back({.text = request.query, .pair = passage});
  compute_texts(call, items, field,
                [call, &model, request = std::move(request), write = std::move(write)](const Rows& rows) {
                  call->answer(write(ranked(model.model(), rows, request), request));
                });
}

/// Documents are strings, or objects with a text.
std::vector<std::string> documents(Body& body) {
  auto* const value = body.find("documents");
  if (!value || !value->is_array()) {
    throw Refused{Fault::validation,
                  "`documents`: expected an array of texts, got " + (value ? kind_of(*value) : "none"), "documents"};
  }
  std::vector<std::string> texts;
  for (auto& one : *value) {
    auto* text = &one;
    if (one.is_object() && one.contains("text")) text = &one["text"];
    if (!text->is_string()) {
      const auto where = fmt::format("documents[{}]", texts.size());
      throw Refused{Fault::validation, fmt::format("`{}`: expected a text, got {}", where, kind_of(one)), where};
    }
    texts.push_back(std::move(text->get_ref<std::string&>()));
  }
  return texts;
}

void cohere_rerank(const std::shared_ptr<Call>& call, char version) {
  Body& body = call->body();
  RankRequest request{.query = required_string(body, "query"), .passages = documents(body)};
  request.top = body.count("top_n", 1, kMostKept).value_or(request.passages.size());
  request.with_text = version == '1' && body.boolean("return_documents").value_or(false);
  rank(call, std::move(request), "documents",
       [call, version](const std::vector<Ranked>& list, const RankRequest& asked) {
         std::string json = R"({"id":)";
         append_string(json, call->request().id);
         json += R"(,"results":[)";
         bool first = true;
         for (const auto& one : list) {
           if (!std::exchange(first, false)) json += ',';
           fmt::format_to(std::back_inserter(json), R"({{"index":{},"relevance_score":{})", one.index, one.score);
           if (asked.with_text) {
             json += R"(,"document":{"text":)";
             append_string(json, asked.passages[one.index]);
             json += '}';
           }
           json += '}';
         }
         fmt::format_to(std::back_inserter(json),
                        R"(],"meta":{{"api_version":{{"version":"{}"}},"billed_units":{{"search_units":1}}}}}})",
                        version);
         return json;
       });
}

}  // namespace

void predict(const std::shared_ptr<Call>& call) {
  Body& body = call->body();
  ServedModel& model = call->model();
  require_head(model, model::Head::sequence_classification);
  const auto input = read_pairs(body, "inputs");
  const bool raw = body.boolean("raw_scores").value_or(false);
  // Hugging Face's inference API, which is at /, has a list of texts also for one.
  const bool alone = input.single && call->route().path != "/";
  compute_texts(call, input.items, "inputs", [call, &model, raw, alone](const Rows& rows) {
    const auto& config = model.model().config();
    std::string json;
    if (alone) {
      append_labels(json, config, rows.front(), raw);
      return call->answer(std::move(json));
    }
    json = "[";
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) json += ',';
      append_labels(json, config, rows[i], raw);
    }
    json += ']';
    call->answer(std::move(json));
  });
}

void rerank(const std::shared_ptr<Call>& call) {
  Body& body = call->body();
  RankRequest request{.query = required_string(body, "query"),
                      .passages = required_strings(body, "texts"),
                      .raw = body.boolean("raw_scores").value_or(false),
                      .with_text = body.boolean("return_text").value_or(false)};
  request.top = body.count("top_n", 1, kMostKept).value_or(request.passages.size());
  rank(call, std::move(request), "texts", [](const std::vector<Ranked>& list, const RankRequest& asked) {
    std::string json = "[";
    for (const auto& one : list) {
      if (json.size() > 1) json += ',';
      fmt::format_to(std::back_inserter(json), R"({{"index":{},"score":{})", one.index, one.score);
      if (asked.with_text) {
        json += R"(,"text":)";
        append_string(json, asked.passages[one.index]);
      }
      json += '}';
    }
    json += ']';
    return json;
  });
}

void cohere_rerank_1(const std::shared_ptr<Call>& call) {
  cohere_rerank(call, '1');
}

void cohere_rerank_2(const std::shared_ptr<Call>& call) {
  cohere_rerank(call, '2');
}

}  // namespace summand::serve::routes
