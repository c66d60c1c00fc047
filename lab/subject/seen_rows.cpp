#include "lab/subject/seen_rows.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace summand::lab {

namespace {

using Eigen::Index;

/// @param token  as it is written; empty where no token has the id
bool is_reached(std::string_view token) {
  return !token.empty() && !(token.starts_with("[unused") && token.ends_with("]"));
}

}  // namespace

Table reached_tokens(const Subject& subject) {
  Table rows = subject.tokens;
  if (!subject.model) return rows;
  const auto& tokenizer = subject.model->tokenizer();
  std::vector<Index> reached;
  std::vector<Index> free;
  for (Index id = 0; id < rows.rows(); ++id) {
    (is_reached(tokenizer.token(static_cast<int32_t>(id))) ? reached : free).push_back(id);
  }
  if (reached.empty()) return rows;
  for (size_t i = 0; i < free.size(); ++i)
    rows.row(free[i]) = subject.tokens.row(reached[i * reached.size() / free.size()]);
  return rows;
}

}  // namespace summand::lab
