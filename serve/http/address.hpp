#pragma once

#include <sys/socket.h>

#include <boost/asio/generic/stream_protocol.hpp>
#include <string>

#include "serve/http/server.hpp"

namespace summand::serve::http {

/// @throws IoError if the path of a Unix socket is too long for the system
[[nodiscard]] boost::asio::generic::stream_protocol::endpoint endpoint_of(const Address& address);

/// Of TCP: "127.0.0.1:40000", "[::1]:40000"; of a Unix socket "unix".
[[nodiscard]] std::string peer_text(const sockaddr* peer);

/// 0 for a Unix socket.
[[nodiscard]] unsigned short port_of(const sockaddr* address);

}  // namespace summand::serve::http
