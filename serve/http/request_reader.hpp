#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "serve/http/exchange.hpp"
#include "serve/http/request_check.hpp"

namespace summand::serve::http {

/// Reads one request from bytes, however they are cut. No input, no output: only bytes.
class RequestReader {
 public:
  struct Most {
    size_t header_bytes;
    size_t body_bytes;
  };
  enum class Stage {
    empty,   ///< nothing yet, or empty lines, which RFC 9112, section 2.2, lets precede a request
    header,  ///< within the request line or the fields
    body,
    done,
    failed,
  };

  explicit RequestReader(Most most);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  /// Reads on.
  /// @param bytes  those that an earlier call did not use, and what came since
  /// @return how many it used; unless the stage is now done or failed, it needs more bytes behind them
  [[nodiscard]] size_t read(std::string_view bytes);

  [[nodiscard]] Stage stage() const;
  [[nodiscard]] const Fault& fault() const;      ///< once failed
  [[nodiscard]] const Request& request() const;  ///< as far as it was read; `id` and `peer` are empty
  [[nodiscard]] Request take_request();          ///< likewise
  [[nodiscard]] Version version() const;         ///< from the stage body on
  [[nodiscard]] bool keeps_connection() const;   ///< from the stage body on: what the client asks for
  [[nodiscard]] size_t content_length() const;   ///< from the stage body on; 0: the body comes in chunks
  [[nodiscard]] bool expects_continue() const;   ///< from the stage body on: it waits for "100 Continue"

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace summand::serve::http
