#include "serve/http/server.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <list>
#include <utility>

#include "serve/http/hub.hpp"
#include "serve/http/listener.hpp"
#include "serve/http/open_files.hpp"
#include "serve/http/tls_context.hpp"

namespace summand::serve::http {

namespace asio = boost::asio;

namespace {

/// How long finish() keeps idle connections. A client that has not heard of the end may have sent a request just now,
/// and a load balancer goes on for a moment.
constexpr std::chrono::milliseconds kIdleGrace{500};

}  // namespace

struct Server::State {
  State(ServerOptions options, Handler handler, ErrorBody error_body)
      : hub(std::move(options), std::move(handler), std::move(error_body)), end(hub.loop()), idle_end(hub.loop()) {
    allow_open_files(hub.limits().connections);
    if (hub.options().tls) tls.emplace(make_tls_context(*hub.options().tls));
    for (const Address& address : hub.options().addresses) {
      addresses.push_back(listeners.emplace_back(hub, address).address());
    }
    for (Listener& listener : listeners) {
      asio::co_spawn(hub.loop(), listener.accept_all(tls ? &*tls : nullptr), asio::detached);
    }
  }

  /// Runs the loop until it is stopped. What its callbacks throw ends none but themselves.
  void run_loop() {
    while (!hub.loop().stopped()) {
      try {
        hub.loop().run();
      } catch (...) {
        hub.report(std::current_exception());
      }
    }
  }

  /// What is left ends now: clients see their connections closed.
  void end_all() {
    for (Listener& listener : listeners) listener.close();
    end.cancel();
    idle_end.cancel();
    hub.abandon_all();
    hub.loop().restart();
    try {
      hub.loop().poll();
    } catch (...) {
      hub.report(std::current_exception());
    }
    hub.loop().stop();
  }

  std::optional<asio::ssl::context> tls;  // before the connections, which use it
  Hub hub;
  asio::steady_timer end;
  asio::steady_timer idle_end;
  std::list<Listener> listeners;
  std::vector<Address> addresses;
};

Server::Server(ServerOptions options, Handler handler, ErrorBody error_body)
    : state_(std::make_unique<State>(std::move(options), std::move(handler), std::move(error_body))) {}

Server::~Server() = default;

const std::vector<Address>& Server::addresses() const {
  return state_->addresses;
}

void Server::run() {
  state_->run_loop();
  state_->end_all();
}

void Server::finish(std::chrono::milliseconds most) {
  asio::post(state_->hub.loop(), [state = state_.get(), most] {
    state->end.expires_after(most);
    state->end.async_wait([state](boost::system::error_code cancelled) {
      if (!cancelled) state->hub.loop().stop();
    });
    state->idle_end.expires_after(std::min(most, kIdleGrace));
    state->idle_end.async_wait([state](boost::system::error_code cancelled) {
      if (!cancelled) state->hub.end_idle();
    });
    state->hub.finish();
  });
}

void Server::stop() {
  state_->hub.loop().stop();
}

ServerCounts Server::counts() const {
  return state_->hub.counts();
}

}  // namespace summand::serve::http
