// Bytes as a request of HTTP/1.1, whole and in pieces: the first byte says how large these are.
#include <algorithm>
#include <optional>

#include "serve/http/request_reader.hpp"
#include "target.hpp"

using namespace summand;
using serve::http::RequestReader;

namespace {

constexpr RequestReader::Most kMost{.header_bytes = 1024, .body_bytes = 512};
constexpr unsigned kFieldsTooLarge = 431;

/// What came of the bytes, and what is left of them.
struct Outcome {
  RequestReader::Stage stage{};
  unsigned status = 0;
  size_t used = 0;
  serve::http::Request request = {};
};

Outcome read(std::string_view input, size_t piece) {
  RequestReader reader(kMost);
  Outcome outcome;
  for (size_t end = std::min(piece, input.size());; end = std::min(end + piece, input.size())) {
    const size_t used = reader.read(input.substr(outcome.used, end - outcome.used));
    fuzz::expect(used <= end - outcome.used, "no more is used than there is");
    outcome.used += used;
    outcome.stage = reader.stage();
    const bool ended = outcome.stage == RequestReader::Stage::done || outcome.stage == RequestReader::Stage::failed;
    fuzz::expect(ended || end - outcome.used < kMost.header_bytes + 1, "what waits for more is short");
    if (ended || end == input.size()) break;
  }
  outcome.status = reader.fault().status;
  const bool failed = outcome.stage == RequestReader::Stage::failed;
  fuzz::expect(failed == (outcome.status >= 400), "a failure has a status");
  fuzz::expect(!failed || test::is_one_line(reader.fault().message), "a fault is one line");
  if (outcome.stage == RequestReader::Stage::done) outcome.request = reader.take_request();
  return outcome;
}

void check(const serve::http::Request& request) {
  fuzz::expect(!request.method.empty() && request.path.starts_with('/'), "there is a method and a path");
  fuzz::expect(request.body.size() <= kMost.body_bytes, "the body is within the limit");
  size_t bytes = request.method.size() + request.path.size() + request.query.size();
  const auto printable = [](std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
  };
  for (const auto& [name, value] : request.headers) {
    bytes += name.size() + value.size();
    fuzz::expect(!name.empty() && printable(name) && printable(value), "fields are of one line");
  }
  fuzz::expect(bytes <= kMost.header_bytes, "the header is within the limit");
  const std::string_view length = request.header("Content-Length");
  fuzz::expect(length.empty() || request.header("Transfer-Encoding").empty(), "one field says where the body ends");
  fuzz::expect(length.empty() || std::stoull(std::string(length)) == request.body.size(),
               "the body is as long as it says");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read(input, std::max<size_t>(input.size(), 1));
  const Outcome pieces = read(input, size_t{1} + data[0] % 16);
  if (whole.stage == RequestReader::Stage::done) check(whole.request);
  // A line that is too long may be seen sooner in pieces than a later mistake.
  if (whole.status == kFieldsTooLarge || pieces.status == kFieldsTooLarge) return 0;
  // In pieces, Beast looks for mistakes only once it has seen where the fields end.
  const bool still_waits = pieces.stage == RequestReader::Stage::header || pieces.stage == RequestReader::Stage::body;
  if (whole.stage == RequestReader::Stage::failed && still_waits) return 0;
  fuzz::expect(whole.stage == pieces.stage && whole.status == pieces.status, "pieces read as the whole does");
  if (whole.stage != RequestReader::Stage::done) return 0;
  fuzz::expect(whole.used == pieces.used, "pieces end where the whole does");
  fuzz::expect(whole.request.body == pieces.request.body && whole.request.headers == pieces.request.headers,
               "pieces say what the whole does");
  return 0;
}
