#include "serve/http/exchange.hpp"

#include "serve/http/request_check.hpp"

namespace summand::serve::http {

std::string_view Request::header(std::string_view name) const {
  for (const auto& [field, value] : headers) {
    if (same_name(field, name)) return value;
  }
  return {};
}

}  // namespace summand::serve::http
