#pragma once

#include <string>

#include "serve/http/hub.hpp"
#include "serve/http/stream.hpp"

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

namespace summand::serve::http {

enum class Admission {
  admitted,
  refused,  ///< one connection too many: it is told so
};

/// A client that has come.
struct Arrival {
  Admission admission = Admission::admitted;
  std::string peer;  ///< as Request::peer
};

// Serve a client on the server's loop. Each is compiled in a file of its own: connection_plain.cpp, connection_tls.cpp.
void open_plain_connection(Hub& hub, Socket socket, Arrival arrival);
void open_tls_connection(Hub& hub, Socket socket, Arrival arrival, boost::asio::ssl::context& tls);

}  // namespace summand::serve::http
