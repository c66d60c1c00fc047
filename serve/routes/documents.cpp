#include "serve/routes/documents.hpp"

#include <string>

#include "serve/routes/document_files.hpp"

namespace summand::serve::routes {

namespace {

const http::Header kCheckedAgain{"Cache-Control", "no-cache"};  // a newer server has other documents
const http::Header kAsDeclared{"X-Content-Type-Options", "nosniff"};

}  // namespace

void openapi(const std::shared_ptr<Call>& call) {
  call->answer(
      http::Response{.body = std::string(documents::openapi_json), .headers = {kCheckedAgain, kAsDeclared}});
}

void docs(const std::shared_ptr<Call>& call) {
  call->answer(http::Response{.content_type = "text/html; charset=utf-8",
                              .body = std::string(documents::docs_html),
                              .headers = {{"Content-Security-Policy", std::string(documents::docs_policy_txt)},
                                          {"Referrer-Policy", "no-referrer"},
                                          kCheckedAgain,
                                          kAsDeclared}});
}

}  // namespace summand::serve::routes
