#include "lab/subject/seen_rows.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace summand::lab {

using Eigen::Index;

std::vector<Index> unreached_ids(const Subject& subject) {
  std::vector<Index> unreached;
  auto reached = subject.reached.begin();
  for (Index id = 0; id < subject.tokens.rows(); ++id) {
    if (reached != subject.reached.end() && *reached == id) {
      ++reached;
    } else {
      unreached.push_back(id);
    }
  }
  return unreached;
}

Table reached_tokens(const Subject& subject) {
  Table rows = subject.tokens;
  const auto& reached = subject.reached;
  if (reached.empty()) return rows;
  const auto free = unreached_ids(subject);
  for (size_t i = 0; i < free.size(); ++i)
    rows.row(free[i]) = subject.tokens.row(reached[i * reached.size() / free.size()]);
  return rows;
}

Table seen_tokens_but_first(const Subject& subject) {
  Table rows = seen_tokens(subject);
  const auto cls = subject.model ? subject.model->tokenizer().cls_id() : std::nullopt;
  if (!cls || rows.rows() < 2) return rows;
  rows.row(*cls) = rows.row(*cls + 1 < rows.rows() ? *cls + 1 : *cls - 1);
  return rows;
}

}  // namespace summand::lab
