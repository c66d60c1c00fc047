#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "serve/http/exchange.hpp"
#include "serve/http/server.hpp"
#include "serve/routes/call.hpp"

namespace summand::serve {

/// All routes, for the documentation and its test.
[[nodiscard]] std::span<const Route> all_routes();

/// Passes a request to its route. Small bodies are read at once, on the server's loop, large ones in the background.
/// Refuses what needs a key and has none, and new work while draining.
void route(Service& service, const std::shared_ptr<http::Exchange>& exchange);

/// Refuses at a request's head what route() would refuse without its body, but for the key's rate, and counts it. For
/// the HTTP server, on its thread.
[[nodiscard]] std::optional<http::Response> refuse_early(Service& service, const http::Request& head);

/// What the HTTP server answers where there is no exchange, in the dialect of the path.
[[nodiscard]] http::Response http_error(unsigned status, std::string_view path, std::string_view message);

}  // namespace summand::serve
