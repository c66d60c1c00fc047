#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <optional>

#include "serve/http/hub.hpp"
#include "serve/http/server.hpp"
#include "serve/http/socket_file.hpp"
#include "serve/http/stream.hpp"

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

namespace summand::serve::http {

/// A socket that listens.
class Listener {
 public:
  /// Binds and listens.
  /// @throws IoError naming the address and the system's reason
  Listener(Hub& hub, const Address& address);

  /// Where it really listens.
  [[nodiscard]] const Address& address() const { return address_; }
  /// Accepts connections until close(). An error of the system's, such as too many open files, is waited out.
  /// @param tls  null: none
  [[nodiscard]] boost::asio::awaitable<void> accept_all(boost::asio::ssl::context* tls);
  void close();

 private:
  using Protocol = boost::asio::generic::stream_protocol;

  void welcome(Socket socket, boost::asio::ssl::context* tls);

  Hub& hub_;
  Address address_;
  boost::asio::basic_socket_acceptor<Protocol> acceptor_;
  std::optional<SocketFile> file_;
};

}  // namespace summand::serve::http
