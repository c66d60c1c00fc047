#include "serve/routes/live_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "serve/live/assets.hpp"
#include "serve/live/laboratory.hpp"

namespace summand::serve::routes {

namespace {

constexpr size_t kMostWaiting = 16;                      // looks; a page asks for one at a time
constexpr size_t kLargestReportFile = size_t{64} << 20;  // bytes
constexpr std::string_view kPolicy =
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

live::Laboratory& laboratory_of(const std::shared_ptr<Call>& call) {
  return *call->service().laboratory;
}

/// What the page shows near the sentence: a line, whatever is wrong.
template <class Make>
auto with_refusals(const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Refused{Fault::validation, error.what()};
  }
}

/// Answers with what `make` returns, off the server's loop, unless the client has gone before its turn.
void answer_later(const std::shared_ptr<Call>& call, std::function<http::Response()> make) {
  auto& looks = call->service().looks;
  if (looks.waiting() >= kMostWaiting) throw Refused{Fault::overloaded, "too many looks wait", "", 1.0};
  call->attempt_in(looks, [call, make = std::move(make)] { call->answer(with_refusals(make)); });
}

/// Another site's page can send a form or plain text to this server without asking, but not JSON.
void require_json(const std::shared_ptr<Call>& call) {
  constexpr std::string_view kJson = "application/json";
  const std::string_view type = call->request().header("Content-Type");
  const auto same_letter = [](unsigned char a, unsigned char b) { return std::tolower(a) == b; };
  if (!std::ranges::equal(type.substr(0, kJson.size()), kJson, same_letter)) {
    throw Refused{Fault::validation, fmt::format("Content-Type: expected application/json, got '{}'", printable(type))};
  }
}

size_t after_of(std::string_view query) {
  constexpr std::string_view kName = "after=";
  size_t after = 0;
  if (query.empty()) return after;
  const auto* const end = query.data() + query.size();
  const bool is_known = query.starts_with(kName);
  if (!is_known || std::from_chars(query.data() + kName.size(), end, after).ptr != end) {
    throw Refused{Fault::validation, fmt::format("expected ?after=N, got '?{}'", printable(query))};
  }
  return after;
}

/// A name in the path behind the route's own.
std::string_view name_of(const std::shared_ptr<Call>& call) {
  return std::string_view(call->request().path).substr(call->route().path.size());
}

[[noreturn]] void refuse_path(const std::shared_ptr<Call>& call) {
  throw Refused{Fault::not_found, "no file " + printable(call->request().path)};
}

http::Response file_response(std::string_view content_type, std::string bytes) {
  // A browser asks for the icon whenever the page's address changes: with every look.
  const bool is_icon = content_type == live::content_type_of(".svg");
  return {.content_type = std::string(content_type),
          .body = std::move(bytes),
          .headers = {{"Cache-Control", is_icon ? "max-age=86400" : "no-cache"},
                      {"Referrer-Policy", "no-referrer"},
                      {"X-Content-Type-Options", "nosniff"}}};
}

http::Response json_response(std::string json) {
  return {.body = std::move(json), .headers = {{"Cache-Control", "no-store"}}};
}

}  // namespace

void live_file(const std::shared_ptr<Call>& call) {
  const auto asset = live::asset(call->request().path);
  if (!asset) refuse_path(call);
  auto response = file_response(asset->content_type, std::string(asset->bytes));
  response.headers.emplace_back("ETag", asset->etag);
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  if (call->request().header("If-None-Match") == asset->etag) {
    constexpr unsigned kNotModified = 304;
    response.status = kNotModified;
    response.body.clear();
  }
  call->answer(std::move(response));
}

void live_models(const std::shared_ptr<Call>& call) {
  answer_later(call, [&laboratory = laboratory_of(call)] { return json_response(laboratory.models()); });
}

void live_look(const std::shared_ptr<Call>& call) {
  require_json(call);
  answer_later(call, [&laboratory = laboratory_of(call), call = call.get()] {
    return json_response(laboratory.look(call->bytes()));
  });
}

void live_start_claims(const std::shared_ptr<Call>& call) {
  require_json(call);
  answer_later(call, [&laboratory = laboratory_of(call), call = call.get()] {
    return json_response(laboratory.start_claims(call->bytes()));
  });
}

void live_claims(const std::shared_ptr<Call>& call) {
  call->answer(json_response(laboratory_of(call).claims(after_of(call->request().query))));
}

void live_cancel_claims(const std::shared_ptr<Call>& call) {
  call->answer(json_response(laboratory_of(call).cancel_claims()));
}

void live_report(const std::shared_ptr<Call>& call) {
  const auto file = laboratory_of(call).report_file(name_of(call));
  if (!file) refuse_path(call);
  answer_later(call, [file = *file] {
    return file_response(live::content_type_of(file.string()), read_file(file, kLargestReportFile));
  });
}

}  // namespace summand::serve::routes
