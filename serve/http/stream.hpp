#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <optional>
#include <type_traits>

namespace summand::serve::http {

/// Of TCP or a Unix socket; never blocks.
using Socket = boost::asio::generic::stream_protocol::socket;

/// A Stream is a Socket, or TLS over one.
template <class Stream>
inline constexpr bool kIsTls = !std::is_same_v<Stream, Socket>;

template <class Stream>
[[nodiscard]] Socket& socket_of(Stream& stream) {
  if constexpr (kIsTls<Stream>) {
    return stream.next_layer();
  } else {
    return stream;
  }
}

template <class Stream>
void close_socket(Stream& stream) {
  boost::system::error_code ignored;
  socket_of(stream).close(ignored);
}

/// Writes what the system takes without waiting. @return bytes, or nullopt: try to write later
template <class Stream, class Buffers>
[[nodiscard]] std::optional<size_t> write_at_once(Stream& stream, const Buffers& buffers) {
  if constexpr (!kIsTls<Stream>) {
    boost::system::error_code error;
    const size_t bytes = stream.write_some(buffers, error);
    if (!error) return bytes;
  }
  return std::nullopt;
}

}  // namespace summand::serve::http
