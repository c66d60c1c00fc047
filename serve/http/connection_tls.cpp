#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <utility>

#include "serve/http/connection.hpp"
#include "serve/http/open_connection.hpp"

namespace summand::serve::http {

void open_tls_connection(Hub& hub, Socket socket, Arrival arrival, boost::asio::ssl::context& tls) {
  start_connection(hub, boost::asio::ssl::stream<Socket>(std::move(socket), tls), std::move(arrival));
}

}  // namespace summand::serve::http
