#include "text/delimited_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace summand::text {

std::optional<std::vector<std::string>> DelimitedRows::next() {
  if (!lines_->next()) return std::nullopt;
  begin_ = lines_->number();
  std::vector<std::string> fields;
  for (size_t at = 0;; ++at) {
    if (at < lines_->line().size() && lines_->line()[at] == '"') {
      fields.push_back(quoted_field(at));
    } else {
      const size_t end = std::min(lines_->line().find(delimiter_, at), lines_->line().size());
      fields.push_back(lines_->line().substr(at, end - at));
      at = end;
    }
    if (at == lines_->line().size()) return fields;
    if (lines_->line()[at] != delimiter_) refuse_rest(at);
  }
}

/// @param at  the opening quote; afterwards what follows the closing one, in the line that the reader is at then
std::string DelimitedRows::quoted_field(size_t& at) {
  const size_t opened = lines_->number();
  std::string field;
  ++at;
  for (;;) {
    const std::string& line = lines_->line();
    const size_t quote = line.find('"', at);
    field.append(line, at, quote == line.npos ? line.npos : quote - at);
    if (quote != line.npos) {
      at = quote + 1;
      if (at == line.size() || line[at] != '"') return field;
      field += '"';
      ++at;
      continue;
    }
    field += lines_->line_end();
    if (!lines_->next()) {
      throw TextError(lines_->where(opened),
                      "expected a closing quote for the field that begins with one on this "
                      "line, got the end of the input");
    }
    at = 0;
  }
}

void DelimitedRows::refuse_rest(size_t at) const {
  const std::string_view rest = std::string_view(lines_->line()).substr(at);
  throw TextError(lines_->where(),
                  fmt::format("expected {} or the line's end behind a closing quote, got '{}' at byte {}; a quote in a "
                              "quoted field is written twice",
                              delimiter_ == '\t' ? "a tab" : "a comma",
                              printable(rest.substr(0, decode_utf8(rest).bytes)), at + 1));
}

}  // namespace summand::text
