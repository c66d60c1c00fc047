#pragma once

#include <string_view>

/// Files that come with the program, put into it by lab/embed_files.py.
namespace summand::serve::documents {

extern const std::string_view openapi_json;
extern const std::string_view docs_html;        ///< made of openapi_json by write_docs_page.py
extern const std::string_view docs_policy_txt;  ///< the Content-Security-Policy under which docs_html works

}  // namespace summand::serve::documents
