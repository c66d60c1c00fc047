#include "lab/subject/seen_rows.hpp"

#include <algorithm>
#include <cstddef>
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

std::vector<Index> reached_ids(const Subject& subject) {
  std::vector<Index> reached;
  for (Index id = 0; id < subject.tokens.rows(); ++id) {
    if (!subject.model || is_reached(subject.model->tokenizer().token(static_cast<int32_t>(id)))) reached.push_back(id);
  }
  return reached;
}

Table reached_tokens(const Subject& subject) {
  Table rows = subject.tokens;
  const auto reached = reached_ids(subject);
  if (reached.empty()) return rows;
  std::vector<Index> free;
  for (Index id = 0; id < rows.rows(); ++id) {
    if (!std::ranges::binary_search(reached, id)) free.push_back(id);
  }
  for (size_t i = 0; i < free.size(); ++i)
    rows.row(free[i]) = subject.tokens.row(reached[i * reached.size() / free.size()]);
  return rows;
}

}  // namespace summand::lab
