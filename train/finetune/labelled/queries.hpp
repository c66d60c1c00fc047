#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "train/finetune/labelled/labelled_file.hpp"

namespace summand::train {

/// Rows to rank by their query, which is the first text.
struct Queries {
  std::vector<size_t> of_rows;  ///< each row's query, numbered as they first come
  size_t count = 0;
};

[[nodiscard]] Queries queries_of(std::span<const LabelledText> rows);

}  // namespace summand::train
