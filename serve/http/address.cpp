#include "serve/http/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::serve::http {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kUnix = "unix:";

[[noreturn]] void refuse(std::string_view text, std::string_view got) {
  throw UsageError("address " + printable(text),
                   fmt::format("expected HOST:PORT, [HOST]:PORT, PORT or unix:PATH with a "
                               "numeric host or localhost, got {}",
                               got));
}

std::optional<unsigned short> read_port(std::string_view text) {
  unsigned short port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<std::string_view> without_brackets(std::string_view host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) return host.substr(1, host.size() - 2);
  if (host.find(':') != host.npos) return std::nullopt;  // which colon ends it?
  return host;
}

}  // namespace

Address Address::parse(std::string_view text) {
  Address address;
  if (text.starts_with(kUnix)) {
    address.unix_socket = text.substr(kUnix.size());
    if (address.unix_socket.empty()) refuse(text, "no path");
    return address;
  }
  const size_t colon = text.rfind(':');
  const auto port = read_port(colon == text.npos ? text : text.substr(colon + 1));
  if (!port) refuse(text, "no port of 0 to 65535");
  address.port = *port;
  if (colon == text.npos) return address;
  const auto host = without_brackets(text.substr(0, colon));
  if (!host) refuse(text, "an IPv6 address without brackets");
  if (*host == "localhost") return address;
  boost::system::error_code error;
  asio::ip::make_address(std::string(*host), error);
  if (error) refuse(text, fmt::format("the host '{}'", printable(*host)));
  address.host = std::string(*host);
  return address;
}

std::string address_text(const Address& address) {
  if (!address.unix_socket.empty()) return std::string(kUnix) + path_text(address.unix_socket);
  const bool brackets = address.host.find(':') != address.host.npos;
  return fmt::format(fmt::runtime(brackets ? "[{}]:{}" : "{}:{}"), printable(address.host), address.port);
}

asio::generic::stream_protocol::endpoint endpoint_of(const Address& address) {
  if (!address.unix_socket.empty()) {
    const std::string path = address.unix_socket.string();
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
      throw IoError(address_text(address), fmt::format("expected a path of at most {} bytes, got {}",
                                                       sizeof(sockaddr_un::sun_path) - 1, path.size()));
    }
    return asio::local::stream_protocol::endpoint(path);
  }
  boost::system::error_code error;
  const auto host = asio::ip::make_address(address.host, error);
  if (error) throw IoError(address_text(address), "expected a numeric address");
  return asio::ip::tcp::endpoint(host, address.port);
}

std::string peer_text(const sockaddr* peer) {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (peer->sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(peer)->sin_addr, host.data(), host.size());
    return fmt::format("{}:{}", host.data(), port_of(peer));
  }
  if (peer->sa_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(peer)->sin6_addr, host.data(), host.size());
    return fmt::format("[{}]:{}", host.data(), port_of(peer));
  }
  return "unix";
}

unsigned short port_of(const sockaddr* address) {
  if (address->sa_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
  if (address->sa_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(address)->sin6_port);
  return 0;
}

}  // namespace summand::serve::http
