#include "serve/http/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "serve/http/status.hpp"

namespace summand::serve::http {

namespace beast = boost::beast;

namespace {

constexpr size_t kReservedBody = size_t{1} << 20;  // what a Content-Length alone may claim

Fault fault_of(beast::error_code code) {
  using Known = beast::http::error;
  if (code == Known::body_limit) return {status::kTooLarge, "the body is too large"};
  if (code == Known::header_limit) return {status::kFieldsTooLarge, "the request line and the fields are too large"};
  if (code == Known::bad_method) return {status::kBadRequest, "the request line has no valid method"};
  if (code == Known::bad_target) return {status::kBadRequest, "the request line has no valid target"};
  if (code == Known::bad_version) return {status::kBadRequest, "the request line must end in HTTP/1.1 or HTTP/1.0"};
  if (code == Known::bad_line_ending) return {status::kBadRequest, "a line does not end in CR LF"};
  if (code == Known::bad_field) return {status::kBadRequest, "a field has no valid name"};
  if (code == Known::bad_value) return {status::kBadRequest, "a field has no valid value"};
  if (code == Known::bad_content_length) return {status::kBadRequest, "Content-Length: expected one number"};
  if (code == Known::multiple_content_length) return {status::kBadRequest, "Content-Length: expected one, got several"};
  if (code == Known::bad_transfer_encoding) {
    return {status::kBadRequest, "Transfer-Encoding: expected 'chunked' alone"};
  }
  if (code == Known::bad_chunk) return {status::kBadRequest, "a chunk has no valid size"};
  if (code == Known::bad_chunk_extension) return {status::kBadRequest, "a chunk's extension cannot be read"};
  return {status::kBadRequest, "the request cannot be read"};
}

}  // namespace

/// Beast's parser, which fills a Request.
struct RequestReader::Parser final : beast::http::basic_parser<true> {
  using Text = beast::string_view;
  using Code = beast::error_code;

  explicit Parser(Most limits) : most(limits) {
    constexpr size_t kLongest = std::numeric_limits<std::uint32_t>::max();
    header_limit(static_cast<std::uint32_t>(std::min(limits.header_bytes, kLongest)));
    body_limit(limits.body_bytes);
  }

  Most most;
  Stage stage = Stage::empty;
  Fault fault;
  Request request;
  Version version = Version::http_1_1;
  bool keeps_connection = false;
  bool expects_continue = false;
  std::string authority;  // of a target in absolute form
  size_t header_bytes = 0;
  size_t trailer_bytes = 0;

  void fail(Fault with) {
    fault = with;
    stage = Stage::failed;
  }

  /// Tells Beast to stop where a check of ours fails.
  void refuse(Fault with, Code& error) {
    if (!with) return;
    fail(with);
    error = beast::http::error::bad_value;
  }

  /// @return bytes used of one step of Beast's
  size_t step(std::string_view bytes) {
    const bool in_header = stage == Stage::header;
    const bool in_body = stage == Stage::body;
    const size_t room = in_header ? most.header_bytes - header_bytes : bytes.size();
    const std::string_view seen = bytes.substr(0, room);
    Code error;
    const size_t used = put(boost::asio::buffer(seen.data(), seen.size()), error);
    if (in_header) header_bytes += used;
    if (stage == Stage::failed) return used;
    if (error == beast::http::error::need_more) {
      // The fields end within the limit, or not at all; so do the fields behind the last chunk.
      if (seen.size() - used >= most.header_bytes - (in_header ? header_bytes : 0)) {
        fail(fault_of(beast::http::error::header_limit));
      } else if (in_body && chunked()) {
        if (const Fault open = check_chunk_line(seen.substr(used))) fail(open);
      }
    } else if (error) {
      fail(fault_of(error));
    } else if (is_done()) {
      stage = Stage::done;
    } else if (is_header_done()) {
      stage = Stage::body;
    }
    return used;
  }

  void on_request_impl(beast::http::verb, Text method, Text target, int number, Code& error) override {
    request.method = std::string(method);
    version = number == 10 ? Version::http_1_0 : Version::http_1_1;
    const std::string_view text(target.data(), target.size());
    const Target parts = split_target(text);
    authority = std::string(parts.authority);
    request.path = std::string(parts.path);
    request.query = std::string(parts.query);
    refuse(check_target(text), error);
  }

  void on_field_impl(beast::http::field, Text name, Text value, Code& error) override {
    // Beast joins a value that goes on in the next line (obs-fold, RFC 9112, section 5.2), and hands it over from
    // elsewhere than the line that begins with its name.
    const char* begin = name.data() + name.size() + 1;
    while (*begin == ' ' || *begin == '\t') ++begin;
    if (begin != value.data()) return refuse({status::kBadRequest, "a field goes on in the next line"}, error);
    if (stage == Stage::header) {
      request.headers.emplace_back(std::string(name), std::string(value));
      return;
    }
    // Behind the last chunk: nobody asked for these, and none may count as one of the request's.
    trailer_bytes += name.size() + value.size();
    if (trailer_bytes > most.header_bytes) refuse(fault_of(beast::http::error::header_limit), error);
  }

  void on_header_impl(Code& error) override {
    refuse(check_fields(version, request.headers), error);
    if (!authority.empty()) set_host();
    keeps_connection = keep_alive();
    expects_continue = version == Version::http_1_1 && !request.header("Expect").empty();
  }

  /// A target's own host counts, not the field's (RFC 9112, section 3.2.2).
  void set_host() {
    for (auto& [name, value] : request.headers) {
      if (same_name(name, "Host")) value = authority;
    }
    if (request.header("Host").empty()) request.headers.emplace_back("Host", authority);
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& bytes, Code&) override {
    if (bytes) request.body.reserve(std::min<std::uint64_t>(*bytes, kReservedBody));
  }

  size_t on_body_impl(Text bytes, Code&) override {
    request.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  void on_chunk_header_impl(std::uint64_t, Text extension, Code& error) override {
    refuse(check_chunk_extension({extension.data(), extension.size()}), error);
  }

  size_t on_chunk_body_impl(std::uint64_t, Text bytes, Code& error) override { return on_body_impl(bytes, error); }

  void on_response_impl(int, Text, int, Code&) override {}
  void on_finish_impl(Code&) override {}
};

RequestReader::RequestReader(Most most) : parser_(std::make_unique<Parser>(most)) {}
RequestReader::~RequestReader() = default;

size_t RequestReader::read(std::string_view bytes) {
  Parser& parser = *parser_;
  size_t used = 0;
  if (parser.stage == Stage::empty) {
    while (bytes.substr(used).starts_with("\r\n")) used += 2;
    const std::string_view rest = bytes.substr(used);
    if (rest.empty() || rest == "\r") return used;
    parser.stage = Stage::header;
  }
  while (used < bytes.size() && parser.stage != Stage::done && parser.stage != Stage::failed) {
    const std::string_view rest = bytes.substr(used);
    // Of "0 CR LF CR" Beast assumes that more than four bytes stand there; a body in chunks always has five more.
    constexpr size_t kLastChunk = 5;
    if (parser.stage == Stage::body && parser.chunked() && rest.size() < kLastChunk && rest.front() == '0') break;
    const size_t step = parser.step(rest);
    used += step;
    if (step == 0) break;
  }
  return used;
}

RequestReader::Stage RequestReader::stage() const {
  return parser_->stage;
}

const Fault& RequestReader::fault() const {
  return parser_->fault;
}

const Request& RequestReader::request() const {
  return parser_->request;
}

Request RequestReader::take_request() {
  return std::move(parser_->request);
}

Version RequestReader::version() const {
  return parser_->version;
}

bool RequestReader::keeps_connection() const {
  return parser_->keeps_connection;
}

size_t RequestReader::content_length() const {
  return parser_->content_length().value_or(0);
}

bool RequestReader::expects_continue() const {
  return parser_->expects_continue;
}

}  // namespace summand::serve::http
