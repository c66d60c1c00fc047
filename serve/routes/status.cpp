#include "serve/routes/status.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

#include "api/options/option_names.hpp"
#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "summand/version.hpp"

namespace summand::serve::routes {

namespace {

using Json = nlohmann::ordered_json;

std::string written(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json labels_of(const ServedModel& served) {
  Json names = Json::object();
  Json ids = Json::object();
  const auto& labels = served.model().config().labels;
  for (size_t i = 0; i < labels.size(); ++i) {
    names[std::to_string(i)] = labels[i];
    ids[labels[i]] = i;
  }
  return {{"id2label", names}, {"label2id", ids}};
}

/// Source: text-embeddings-inference, router/src/lib.rs, ModelType; the last two are ours
Json type_of(const ServedModel& served) {
  switch (served.task()) {
    case Task::embed: {
      const auto& pooling = served.model().checkpoint().sentence.pooling;
      std::string names;
      for (const auto one : pooling) names += (names.empty() ? "" : "+") + std::string(model::name_of(one));
      return {{"embedding", {{"pooling", names}}}};
    }
    case Task::predict:
      return {{"classifier", labels_of(served)}};
    case Task::rerank:
      return {{"reranker", labels_of(served)}};
    case Task::fill_mask:
      return {{"masked_language", Json::object()}};
    case Task::tag:
      return {{"token_classifier", labels_of(served)}};
  }
  __builtin_unreachable();
}

Json listed(const ServedModel& served, int64_t created) {
  return {{"id", served.name()}, {"object", "model"}, {"created", created}, {"owned_by", "summand"}};
}

/// Computes what the model is for.
Computation& computation_of(ServedModel& served) {
  switch (served.task()) {
    case Task::embed:
      return served.vectors();
    case Task::predict:
    case Task::rerank:
      return served.labels();
    case Task::fill_mask:
    case Task::tag:
      return served.calls();
  }
  __builtin_unreachable();
}

/// A target's path with its %XX as the bytes that they stand for; malformed ones stay.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    unsigned char byte = 0;
    const char* const digits = text.data() + at + 1;
    const bool encoded =
        text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    decoded += encoded ? static_cast<char>(byte) : text[at];
    if (encoded) at += 2;
  }
  return decoded;
}

}  // namespace

void info(const std::shared_ptr<Call>& call) {
  auto& service = call->service();
  auto& served = *service.models.all().front();
  const auto& model = served.model();
  Json names = Json::array();
  for (const auto& one : service.models.all()) names.push_back(one->name());
  call->answer(
      written({{"model_id", served.name()},
               {"model_sha", nullptr},
               {"model_dtype", model.precision_description()},
               {"served_model_name", served.name()},
               {"model_type", type_of(served)},
               {"max_concurrent_requests", service.options.most_connections},
               {"max_input_length", served.task() == Task::embed ? model.sentence_limit() : model.position_limit()},
               {"max_batch_tokens", service.worker.batch_tokens(computation_of(served))},
               {"max_batch_requests", nullptr},
               {"max_client_batch_size", service.options.most_texts},
               {"auto_truncate", service.options.auto_truncate},
               {"tokenization_workers", service.options.background_threads},
               {"version", std::string(version())},
               {"sha", nullptr},
               {"docker_label", nullptr},
               {"models", names}}));
}

void health(const std::shared_ptr<Call>& call) {
  if (call->service().draining) throw Refused{Fault::unavailable, "the server is draining", "", 1.0};
  call->answer(http::Response{.content_type = "text/plain"});
}

void metrics(const std::shared_ptr<Call>& call) {
  auto& service = call->service();
  const auto load = service.worker.load();
  std::vector<Metrics::Gauge> gauges{
      {"te_queue_size", "Requests taken and not computed", static_cast<double>(load.jobs)},
      {"summand_waiting_tokens", "Tokens that wait for a batch", static_cast<double>(load.waiting_tokens)},
      {"summand_batches_total", "Batches computed", static_cast<double>(load.batches), true},
      {"summand_batch_tokens_total", "Tokens computed", static_cast<double>(load.tokens), true},
      {"summand_busy_seconds_total", "Seconds spent computing batches", load.busy_seconds, true},
      {"summand_log_lines_lost_total", "Lines that the log did not take", static_cast<double>(service.log.lost()),
       true},
      {"summand_draining", "1 while new work is refused", service.draining ? 1.0 : 0.0}};
  size_t bytes = 0;
  for (const auto& one : service.models.all()) bytes += one->store().bytes();
  gauges.push_back({"summand_store_bytes", "Bytes of stored results", static_cast<double>(bytes)});
  if (service.connections) {
    const auto counts = service.connections();
    gauges.push_back({"summand_connections", "Open connections", static_cast<double>(counts.connections)});
  }
  call->answer(
      http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = service.metrics.text(gauges)});
}

void models(const std::shared_ptr<Call>& call) {
  Json list = Json::array();
  for (const auto& one : call->service().models.all()) list.push_back(listed(*one, call->service().started));
  call->answer(written({{"object", "list"}, {"data", list}}));
}

void model(const std::shared_ptr<Call>& call) {
  const auto name = percent_decoded(std::string_view(call->request().path).substr(call->route().path.size()));
  for (const auto& one : call->service().models.all()) {
    if (one->name() == name) return call->answer(written(listed(*one, call->service().started)));
  }
  throw Refused{Fault::not_found, "The model '" + printable(name) + "' does not exist", "model"};
}

}  // namespace summand::serve::routes
