#include "serve/http/request_check.hpp"

#include <algorithm>

#include "serve/http/status.hpp"

namespace summand::serve::http {

namespace {

constexpr Fault kBadExtension{status::kBadRequest, "a chunk's extension cannot be read"};

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}

constexpr bool is_visible(char c) {
  return c > 0x20 && c < 0x7F;
}

/// RFC 3986, section 3.2: host and port, without user information.
bool is_host(std::string_view value) {
  static constexpr std::string_view kOthers = "-._~%!$&'()*+;=:[]";
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || kOthers.find(c) != std::string_view::npos; });
}

/// Of "http://" or "https://", in any case (RFC 3986, section 3.1); 0: the target begins with neither.
size_t scheme_bytes(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (same_name(target.substr(0, scheme.size()), scheme)) return scheme.size();
  }
  return 0;
}

bool is_number(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), is_digit);
}

/// The fields that decide where a request ends, and for whom it is.
struct Framing {
  size_t hosts = 0;
  size_t lengths = 0;
  size_t codings = 0;

  Fault count(const Header& field) {
    const auto& [name, value] = field;
    if (same_name(name, "Host")) {
      ++hosts;
      if (!is_host(value)) return {status::kBadRequest, "Host: expected a host and perhaps a port"};
    } else if (same_name(name, "Content-Length")) {
      ++lengths;
      if (!is_number(value)) return {status::kBadRequest, "Content-Length: expected one number"};
    } else if (same_name(name, "Transfer-Encoding")) {
      ++codings;
      if (!same_name(value, "chunked")) return {status::kBadRequest, "Transfer-Encoding: expected 'chunked' alone"};
    } else if (same_name(name, "Expect") && !same_name(value, "100-continue")) {
      return {status::kExpectationFailed, "Expect: only '100-continue' can be met"};
    }
    return {};
  }
};

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

Target split_target(std::string_view target) {
  Target parts;
  if (const size_t scheme = scheme_bytes(target); scheme > 0) {
    target.remove_prefix(scheme);
    parts.authority = target.substr(0, target.find_first_of("/?"));
    target.remove_prefix(parts.authority.size());
  }
  const size_t query = std::min(target.find('?'), target.size());
  parts.path = target.substr(0, query);
  if (query < target.size()) parts.query = target.substr(query + 1);
  if (parts.path.empty() && !parts.authority.empty()) parts.path = "/";
  return parts;
}

Fault check_target(std::string_view target) {
  const auto [authority, path, query] = split_target(target);
  if (scheme_bytes(target) > 0 && (authority.empty() || authority.front() == ':' || !is_host(authority))) {
    return {status::kBadRequest, "the request's target: expected a host and perhaps a port behind the scheme"};
  }
  if (path.empty() || path.front() != '/') {
    return {status::kBadRequest, "the request's target must begin with '/', 'http://' or 'https://'"};
  }
  const bool valid =
      std::all_of(target.begin(), target.end(), [](char c) { return is_visible(c) && c != '#' && c != '"'; });
  if (!valid) return {status::kBadRequest, "the request's target has a character that must be percent-encoded"};
  return {};
}

Fault check_fields(Version version, const std::vector<Header>& headers) {
  Framing framing;
  for (const Header& field : headers) {
    if (const Fault fault = framing.count(field)) return fault;
  }
  const bool old = version == Version::http_1_0;
  if (framing.hosts > 1) return {status::kBadRequest, "Host: expected one, got several"};
  if (framing.hosts == 0 && !old) return {status::kBadRequest, "Host: expected one, got none"};
  if (framing.lengths > 1) return {status::kBadRequest, "Content-Length: expected one, got several"};
  if (framing.codings > 1) return {status::kBadRequest, "Transfer-Encoding: expected one, got several"};
  if (framing.codings > 0 && framing.lengths > 0) {
    return {status::kBadRequest, "expected Content-Length or Transfer-Encoding, got both"};
  }
  if (framing.codings > 0 && old) return {status::kBadRequest, "Transfer-Encoding: HTTP/1.0 has none"};
  return {};
}

Fault check_chunk_extension(std::string_view extension) {
  constexpr size_t kMost = 256;
  const bool printable =
      std::all_of(extension.begin(), extension.end(), [](char c) { return is_visible(c) || c == ' ' || c == '\t'; });
  if (extension.size() > kMost || !printable) return kBadExtension;
  return {};
}

Fault check_chunk_line(std::string_view bytes) {
  constexpr std::string_view kLineEnd = "\r\n";
  if (bytes.starts_with(kLineEnd)) bytes.remove_prefix(kLineEnd.size());
  const size_t end = bytes.find(kLineEnd);
  if (end == std::string_view::npos) return {};
  bool quoted = false;
  for (size_t at = 0; at < end; ++at) {
    if (bytes[at] == '"') quoted = !quoted;
    if (bytes[at] == '\\' && quoted) ++at;
  }
  if (quoted) return kBadExtension;
  return {};
}

bool is_request_id(std::string_view value) {
  constexpr size_t kMost = 128;
  return !value.empty() && value.size() <= kMost &&
         std::all_of(value.begin(), value.end(), [](char c) { return is_visible(c) || c == ' '; });
}

}  // namespace summand::serve::http
