#pragma once

#include <string>

namespace summand::train {

/// How a page of training begins, up to <body>: it loads nothing, and is light or dark by the reader's system.
/// @param title  as HTML
[[nodiscard]] std::string page_head(const std::string& title);

}  // namespace summand::train
