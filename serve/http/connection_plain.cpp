#include <utility>

#include "serve/http/connection.hpp"
#include "serve/http/open_connection.hpp"

namespace summand::serve::http {

void open_plain_connection(Hub& hub, Socket socket, Arrival arrival) {
  start_connection(hub, std::move(socket), std::move(arrival));
}

}  // namespace summand::serve::http
