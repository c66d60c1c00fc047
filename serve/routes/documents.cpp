#include "serve/routes/documents.hpp"

#include <string>

#include "serve/routes/document_files.hpp"

namespace summand::serve::routes {

void openapi(const std::shared_ptr<Call>& call) {
  call->answer(http::Response{.body = std::string(documents::openapi_json),
                              .headers = {{"Cache-Control", "no-cache"}, {"X-Content-Type-Options", "nosniff"}}});
}

void docs(const std::shared_ptr<Call>& call) {
  call->answer(http::Response{.content_type = "text/html; charset=utf-8",
                              .body = std::string(documents::docs_html),
                              .headers = {{"Content-Security-Policy", std::string(documents::docs_policy_txt)},
                                          {"Cache-Control", "no-cache"},
                                          {"Referrer-Policy", "no-referrer"},
                                          {"X-Content-Type-Options", "nosniff"}}});
}

}  // namespace summand::serve::routes
