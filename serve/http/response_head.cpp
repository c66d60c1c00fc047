#include "serve/http/response_head.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/beast/http/status.hpp>

namespace summand::serve::http {

namespace {

void add_text(std::string& head, std::string_view text) {
  for (const char c : text) head += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? ' ' : c;
}

void add_field(std::string& head, std::string_view name, std::string_view value) {
  add_text(head, name);
  head += ": ";
  add_text(head, value);
  head += "\r\n";
}

}  // namespace

bool status_has_body(unsigned status) {
  constexpr unsigned kFirstFinal = 200;
  constexpr unsigned kNoContent = 204;
  constexpr unsigned kNotModified = 304;
  return status >= kFirstFinal && status != kNoContent && status != kNotModified;
}

std::string response_head(const Response& response, const HeadContext& context) {
  constexpr size_t kUsualBytes = 512;
  std::string head;
  head.reserve(kUsualBytes);
  const auto reason = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(response.status));
  fmt::format_to(std::back_inserter(head), "HTTP/1.1 {} {}\r\n", response.status,
                 std::string_view(reason.data(), reason.size()));
  add_field(head, "Date", context.date);
  if (status_has_body(response.status)) {
    if (!response.content_type.empty()) add_field(head, "Content-Type", response.content_type);
    fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", response.body.size());
  }
  if (context.persistence == Persistence::close) add_field(head, "Connection", "close");
  if (context.persistence == Persistence::keep_aloud) add_field(head, "Connection", "keep-alive");
  add_field(head, "X-Request-Id", context.id);
  for (const auto& [name, value] : response.headers) add_field(head, name, value);
  head += "\r\n";
  return head;
}

std::string http_date(std::time_t time) {
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr int kFirstYear = 1900;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<size_t>(parts.tm_mon)], kFirstYear + parts.tm_year, parts.tm_hour,
                     parts.tm_min, parts.tm_sec);
}

}  // namespace summand::serve::http
