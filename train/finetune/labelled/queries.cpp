#include "train/finetune/labelled/queries.hpp"

#include <map>
#include <string_view>

namespace summand::train {

Queries queries_of(std::span<const LabelledText> rows) {
  std::map<std::string_view, size_t> numbers;
  Queries queries;
  for (const LabelledText& row : rows) {
    queries.of_rows.push_back(numbers.emplace(row.text.text, numbers.size()).first->second);
  }
  queries.count = numbers.size();
  return queries;
}

}  // namespace summand::train
