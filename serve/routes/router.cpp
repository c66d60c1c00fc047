#include "serve/routes/router.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "serve/routes/documents.hpp"
#include "serve/routes/embedding.hpp"
#include "serve/routes/live_page.hpp"
#include "serve/routes/scoring.hpp"
#include "serve/routes/status.hpp"
#include "serve/routes/tokens.hpp"

namespace summand::serve {

namespace {

/// Bodies up to this are read on the loop, if their work is no larger: well below a millisecond.
constexpr size_t kReadAtOnce = 8'192;
constexpr size_t kWorkAtOnce = 4 * kReadAtOnce;
/// Work up to this takes about 20 milliseconds.
constexpr size_t kWorkSoon = size_t{2} << 20;

/// POST /: what the model is for, which its metrics count. Source: text-embeddings-inference, router/src/http/server.rs
void by_task(const std::shared_ptr<Call>& call) {
  const auto as = [&](std::string_view kind, void (*answer)(const std::shared_ptr<Call>&)) {
    call->set_kind(kind);
    answer(call);
  };
  switch (call->model().task()) {
    case Task::embed: {
      const auto* const inputs = call->body().find("inputs");
      return as("embed", inputs && inputs->is_object() ? routes::similarity : routes::embed);
    }
    case Task::predict:
      return as("predict", routes::predict);
    case Task::rerank:
      return call->body().find("query") ? as("rerank", routes::rerank) : as("predict", routes::predict);
    case Task::fill_mask:
      return as("fill_mask", routes::fill_mask);
    case Task::tag:
      return as("tag", routes::tag);
  }
}

/// Bytes that are tokenized at most, about: a query or a prompt may stand before each of the other texts.
size_t work_of(std::string_view body) {
  size_t strings = 0, longest = 0, begin = 0;
  bool inside = false;
  for (size_t at = 0; at < body.size(); ++at) {
    if (inside && body[at] == '\\') {
      ++at;
    } else if (body[at] == '"') {
      inside = !inside;
      if (inside) begin = at;
      if (!inside) longest = std::max(longest, at - begin);
      strings += inside ? 1 : 0;
    }
  }
  return body.size() + strings * longest;
}

using Access = Route::Access;

constexpr auto kRoutes = std::to_array<Route>({
    {"POST", "/embed", Dialect::native, "embed", Access::with_key, routes::embed},
    {"POST", "/embed_all", Dialect::native, "embed", Access::with_key, routes::embed_all},
    {"POST", "/similarity", Dialect::native, "embed", Access::with_key, routes::similarity},
    {"POST", "/predict", Dialect::native, "predict", Access::with_key, routes::predict},
    {"POST", "/rerank", Dialect::native, "rerank", Access::with_key, routes::rerank},
    {"POST", "/fill_mask", Dialect::native, "fill_mask", Access::with_key, routes::fill_mask},
    {"POST", "/tag", Dialect::native, "tag", Access::with_key, routes::tag},
    {"POST", "/hidden", Dialect::native, "hidden", Access::with_key, routes::hidden},
    {"POST", "/tokenize", Dialect::native, "tokenize", Access::with_key, routes::tokenize},
    {"POST", "/decode", Dialect::native, "decode", Access::with_key, routes::decode},
    {"POST", "/", Dialect::native, "by_task", Access::with_key, by_task},
    {"POST", "/invocations", Dialect::native, "by_task", Access::with_key, by_task},
    {"POST", "/v1/embeddings", Dialect::openai, "embed", Access::with_key, routes::openai_embeddings},
    {"POST", "/embeddings", Dialect::openai, "embed", Access::with_key, routes::openai_embeddings},
    {"POST", "/v1/rerank", Dialect::cohere, "rerank", Access::with_key, routes::cohere_rerank_1},
    {"POST", "/v2/rerank", Dialect::cohere, "rerank", Access::with_key, routes::cohere_rerank_2},
    {"GET", "/v1/models", Dialect::openai, "", Access::with_key, routes::models},
    {"GET", "/v1/models/", Dialect::openai, "", Access::with_key, routes::model},  // and a name
    {"GET", "/info", Dialect::native, "", Access::with_key, routes::info},
    {"GET", "/health", Dialect::native, "", Access::free, routes::health},
    {"GET", "/ping", Dialect::native, "", Access::free, routes::health},
    {"GET", "/metrics", Dialect::native, "", Access::free, routes::metrics},
    {"GET", "/openapi.json", Dialect::native, "", Access::free, routes::openapi},
    {"GET", "/docs", Dialect::native, "", Access::free, routes::docs},
    {"GET", "/", Dialect::native, "", Access::page, routes::live_file},
    {"GET", "/live/models", Dialect::native, "", Access::page, routes::live_models},
    {"POST", "/live/look", Dialect::native, "look", Access::page, routes::live_look},
    {"POST", "/live/claims", Dialect::native, "claims", Access::page, routes::live_start_claims},
    {"GET", "/live/claims", Dialect::native, "", Access::page, routes::live_claims},
    {"DELETE", "/live/claims", Dialect::native, "", Access::page, routes::live_cancel_claims},
    {"GET", "/live/report/", Dialect::native, "", Access::page, routes::live_report},  // and a name
    {"GET", "/live/", Dialect::native, "", Access::page, routes::live_file},           // and a name
});

bool is_path_of(const Route& route, std::string_view path) {
  if (route.path == path) return true;
  return route.path.size() > 1 && route.path.ends_with('/') && path.starts_with(route.path) &&
         path.size() > route.path.size();
}

Dialect dialect_of(std::string_view path) {
  for (const auto& route : kRoutes) {
    if (is_path_of(route, path)) return route.dialect;
  }
  if (path.starts_with("/v2/")) return Dialect::cohere;
  return path.starts_with("/v1/") ? Dialect::openai : Dialect::native;
}

bool is_method_of(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

constexpr Route nowhere(Dialect dialect) {
  return {.method = "", .path = "unknown", .dialect = dialect, .access = Access::free};
}

/// For requests that have no route.
const Route& nowhere_in(Dialect dialect) {
  static constexpr Route native = nowhere(Dialect::native);
  static constexpr Route openai = nowhere(Dialect::openai);
  static constexpr Route cohere = nowhere(Dialect::cohere);
  return dialect == Dialect::openai ? openai : dialect == Dialect::cohere ? cohere : native;
}

struct Found {
  const Route* route = nullptr;
  std::optional<Refused> refused = {};
  std::string allowed = {};
};

Found find_route(const http::Request& request) {
  Found found;
  for (const auto& route : kRoutes) {
    if (!is_path_of(route, request.path)) continue;
    if (is_method_of(route, request.method)) return {.route = &route};
    found.allowed += (found.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  found.route = &nowhere_in(dialect_of(request.path));
  if (found.allowed.empty()) {
    found.refused = Refused{Fault::not_found, "no route " + printable(request.path) + "; /docs lists them"};
  } else {
    found.refused = Refused{.fault = Fault::not_allowed,
                            .message = fmt::format("expected {} for {}, got {}", found.allowed, printable(request.path),
                                                   printable(request.method)),
                            .allowed = found.allowed};
  }
  return found;
}

/// Whether a Host names this machine: else a proxy passes strangers' requests on, or a stranger's name was made to
/// lead here.
bool names_this_machine(std::string_view host) {
  const auto name = host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
  const auto behind = host.substr(name.size());
  const bool is_port = behind.empty() || (behind.size() > 1 && behind[0] == ':' &&
                                          behind.find_first_not_of("0123456789", 1) == std::string_view::npos);
  const auto is_localhost = [](std::string_view text) {
    return std::ranges::equal(text, std::string_view("localhost"), {},
                              [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  };
  const bool is_loopback = name.starts_with("127.") && std::ranges::count(name, '.') == 3 &&
                           name.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_port && (is_localhost(name) || name == "[::1]" || is_loopback);
}

/// @throws Refused if the request may not have this route
void require_access(const Service& service, const Route& route, const http::Request& request, Key*& key) {
  if (route.access == Access::page && !service.laboratory) {
    throw Refused{Fault::not_found, service.no_page + "; /docs lists the routes"};
  }
  if (route.access == Access::page && service.options.private_page && !names_this_machine(request.header("Host"))) {
    throw Refused{Fault::not_found,
                  "the page is for this machine's browser: summand serve --page on; /docs lists the routes"};
  }
  if (service.keys.empty() || route.access != Access::with_key) return;
  key = service.keys.find(request.header("Authorization"));
  if (!key) {
    throw Refused{Fault::unauthorized, request.header("Authorization").empty()
                                           ? "expected a key in the header Authorization: Bearer, got none"
                                           : "expected a key that this server knows, got another"};
  }
}

/// Of answers that their clients have not taken.
size_t unsent_bytes(const Service& service) {
  return service.connections ? service.connections().unsent_bytes : 0;
}

/// What a request's head decides.
struct Decision {
  const Route* route = nullptr;
  Key* key = nullptr;
  std::optional<Refused> refused = {};
};

Decision decide(const Service& service, const http::Request& request) {
  const auto found = find_route(request);
  Decision decision{.route = found.route, .refused = found.refused};
  if (decision.refused) return decision;
  try {
    require_access(service, *found.route, request, decision.key);
  } catch (const Refused& without_key) {
    decision.refused = without_key;
    return decision;
  }
  if (found.route->kind.empty()) return decision;
  if (service.draining) {
    decision.refused = Refused{Fault::unavailable, "the server is draining", "", 1.0};
  } else if (const bool small = request.body.size() <= kReadAtOnce;
             service.waiting_bytes + unsent_bytes(service) > service.options.most_waiting_bytes * (small ? 2 : 1)) {
    // Small requests may use as much again: clients that take a large answer slowly do not shut out all others.
    decision.refused =
        Refused{Fault::overloaded, "Model is overloaded: too many bytes of requests and answers wait", "", 1.0};
  }
  return decision;
}

/// A request that is refused at its head: its answer is kept.
class HeadExchange final : public http::Exchange {
 public:
  explicit HeadExchange(http::Request head) : head_(std::move(head)) {}

  [[nodiscard]] const http::Request& request() const override { return head_; }
  [[nodiscard]] std::string take_body() override { return {}; }
  void respond(http::Response response) override { response_ = std::move(response); }
  void on_gone(std::function<void()>) override {}
  [[nodiscard]] std::optional<http::Response> take_response() { return std::move(response_); }

 private:
  const http::Request head_;
  std::optional<http::Response> response_;
};

void answer(const std::shared_ptr<Call>& call) {
  if (call->route().method == "POST") call->read_body();
  call->route().answer(call);
}

}  // namespace

std::span<const Route> all_routes() {
  return kRoutes;
}

void route(Service& service, const std::shared_ptr<http::Exchange>& exchange) {
  const auto& request = exchange->request();
  auto [found, key, refused] = decide(service, request);
  if (!refused && key && !found->kind.empty()) {
    if (const auto wait = key->requests().take(1)) {
      refused = Refused{Fault::overloaded, "the key has used its requests of a minute", "", wait};
    }
  }
  const auto call = std::make_shared<Call>(service, *found, exchange, key);
  if (refused) return call->refuse(*refused);
  const size_t work = work_of(request.body);
  if (request.body.size() <= kReadAtOnce && work <= kWorkAtOnce) return call->attempt([&] { answer(call); });
  auto& background = work <= kWorkSoon ? service.small_background : service.background;
  call->attempt_in(background, [call] { answer(call); });
}

std::optional<http::Response> refuse_early(Service& service, const http::Request& head) {
  const auto [found, key, refused] = decide(service, head);
  if (!refused) return std::nullopt;
  const auto exchange = std::make_shared<HeadExchange>(head);
  std::make_shared<Call>(service, *found, exchange, key)->refuse(*refused);
  return exchange->take_response();
}

http::Response http_error(unsigned status, std::string_view path, std::string_view message) {
  const auto fault = [status] {
    switch (status) {
      case 413:
        return Fault::too_large;
      case 500:
        return Fault::internal;
      case 503:
        return Fault::unavailable;
      default:
        return Fault::malformed;
    }
  }();
  auto response = error_response(dialect_of(path), {fault, std::string(message)});
  response.status = status;
  return response;
}

}  // namespace summand::serve
