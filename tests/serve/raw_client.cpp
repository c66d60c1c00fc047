#include "serve/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace summand::test {

namespace {

int opened(int family) {
  const int descriptor = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval longest{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  return descriptor;
}

template <class Address>
void connect_to(int descriptor, const Address& address) {
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error(std::string("cannot connect: ") + std::strerror(errno));
  }
}

}  // namespace

std::string RawAnswer::field(std::string_view name) const {
  const std::string begin = "\r\n" + std::string(name) + ": ";
  const size_t found = head.find(begin);
  if (found == head.npos) return {};
  const size_t value = found + begin.size();
  return head.substr(value, head.find("\r\n", value) - value);
}

RawClient::RawClient(Unconnected) : descriptor_(opened(AF_INET)) {}

RawClient::RawClient(unsigned short port) : RawClient(Unconnected{}) {
  connect(port);
}

RawClient::RawClient(const std::string& unix_path) : descriptor_(opened(AF_UNIX)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  unix_path.copy(address.sun_path, sizeof address.sun_path - 1);
  connect_to(descriptor_, address);
}

void RawClient::connect(unsigned short port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connect_to(descriptor_, address);
}

RawClient::~RawClient() {
  close();
}

long RawClient::read_some(char* bytes, size_t most) {
  return ::recv(descriptor_, bytes, most, 0);
}

long RawClient::write_some(const char* bytes, size_t size) {
  return ::send(descriptor_, bytes, size, MSG_NOSIGNAL);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const long sent = write_some(bytes.data(), bytes.size());
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

size_t RawClient::take(size_t most) {
  std::string bytes(most, '\0');
  const long got = read_some(bytes.data(), most);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

bool RawClient::read_more() {
  std::array<char, 65536> bytes{};
  const long got = read_some(bytes.data(), bytes.size());
  if (got <= 0) return false;
  received_.append(bytes.data(), static_cast<size_t>(got));
  return true;
}

RawAnswer RawClient::answer(std::string_view method) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  RawAnswer answer;
  while (received_.find(kEnd) == received_.npos) {
    if (!read_more()) return answer;
  }
  const size_t head = received_.find(kEnd) + kEnd.size();
  answer.head = received_.substr(0, head);
  const std::string length = answer.field("Content-Length");
  const size_t body = length.empty() || method == "HEAD" ? 0 : std::stoul(length);
  while (received_.size() < head + body) {
    if (!read_more()) return answer;
  }
  answer.body = received_.substr(head, body);
  received_.erase(0, head + body);
  answer.status = static_cast<unsigned>(std::stoul(answer.head.substr(std::string_view("HTTP/1.1 ").size())));
  return answer;
}

RawAnswer RawClient::ask(std::string_view request, std::string_view method) {
  send(request);  // an early answer may close it before it is all sent
  return answer(method);
}

std::string RawClient::rest() {
  while (read_more()) {
  }
  return std::exchange(received_, {});
}

bool RawClient::ends() {
  return rest().empty();
}

void RawClient::end_sending() const {
  ::shutdown(descriptor_, SHUT_WR);
}

void RawClient::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void RawClient::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void RawClient::receive_little() const {
  const int bytes = 4096;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

std::string get(std::string_view path, std::string_view fields) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: here\r\n" + std::string(fields) + "\r\n";
}

std::string post(std::string_view path, std::string_view body, std::string_view fields) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: here\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

}  // namespace summand::test
