#include "serve/http/listener.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "serve/http/address.hpp"
#include "serve/http/open_connection.hpp"

namespace summand::serve::http {

namespace asio = boost::asio;
using Code = boost::system::error_code;

namespace {

constexpr size_t kRefusedAtOnce = 64;  // connections too many that are told so; more are closed
constexpr std::chrono::milliseconds kPause{50};

/// Programs that this one starts must not hold a client's connection, nor the address.
void close_on_exec(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFD);
  if (flags >= 0) ::fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

}  // namespace

Listener::Listener(Hub& hub, const Address& address) : hub_(hub), address_(address), acceptor_(hub.loop()) {
  const auto endpoint = endpoint_of(address);
  const bool is_unix = !address.unix_socket.empty();
  if (is_unix) remove_stale_socket(address.unix_socket);
  Code error;
  const auto require = [&] {
    if (error == boost::asio::error::address_in_use) {
      throw IoError(address_text(address), "expected a free address, got one in use; --listen takes another");
    }
    if (error) throw IoError(address_text(address), error.message());
  };
  acceptor_.open(Protocol(endpoint.data()->sa_family, is_unix ? 0 : IPPROTO_TCP), error);
  require();
  close_on_exec(acceptor_.native_handle());
  if (!is_unix) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  require();
  acceptor_.bind(endpoint, error);
  require();
  if (is_unix) file_.emplace(address.unix_socket);
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  require();
  if (!is_unix) address_.port = port_of(acceptor_.local_endpoint().data());
}

void Listener::close() {
  Code ignored;
  acceptor_.close(ignored);
}

asio::awaitable<void> Listener::accept_all(asio::ssl::context* tls) {
  asio::steady_timer pause(hub_.loop());
  while (acceptor_.is_open()) {
    Code error;
    Socket socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (!acceptor_.is_open()) break;
    if (!error) {
      welcome(std::move(socket), tls);
      continue;
    }
    Code woken;
    pause.expires_after(kPause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

void Listener::welcome(Socket socket, asio::ssl::context* tls) {
  try {
    close_on_exec(socket.native_handle());
    const size_t connections = hub_.counts().connections;
    const size_t most = hub_.limits().connections;
    if (connections >= most + kRefusedAtOnce) return;
    Code error;
    const auto peer = socket.remote_endpoint(error);
    if (error) return;  // it has gone again
    socket.non_blocking(true);
    if (address_.unix_socket.empty()) {
      const int on = 1;
      ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    Arrival arrival{.admission = connections < most ? Admission::admitted : Admission::refused,
                    .peer = peer_text(peer.data())};
    if (tls != nullptr && address_.unix_socket.empty()) {
      open_tls_connection(hub_, std::move(socket), std::move(arrival), *tls);
    } else {
      open_plain_connection(hub_, std::move(socket), std::move(arrival));
    }
  } catch (...) {
    hub_.report(std::current_exception());
  }
}

}  // namespace summand::serve::http
