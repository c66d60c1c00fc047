#pragma once

#include <boost/asio/ssl/context.hpp>

#include "serve/http/server.hpp"

namespace summand::serve::http {

/// TLS 1.2 and 1.3, sessions resumed, HTTP/1.1 alone by ALPN.
/// @throws IoError naming the file that cannot be read or does not fit the other
[[nodiscard]] boost::asio::ssl::context make_tls_context(const Tls& tls);

}  // namespace summand::serve::http
