#include "engine/layers/embedding_table.hpp"

#include <algorithm>

namespace summand::engine {

EmbeddingTable::EmbeddingTable(const model::Tensor& tensor, size_t largest_in_memory)
    : place_(Place::in_tensor), width_(tensor.shape.at(1)), tensor_(tensor) {
  if (tensor.dtype == model::DType::f32 && tensor.source && tensor.bytes.size() > largest_in_memory) {
    place_ = Place::in_file;
  } else if (!model::floats_in_place(tensor)) {
    place_ = Place::converted;
    converted_ = model::to_floats(tensor);
    tensor_ = {};
  }
}

EmbeddingTable::EmbeddingTable(const Matrix<double>& values) : place_(Place::converted), width_(values.columns()) {
  converted_.reserve(values.elements().size());
  for (const double value : values.elements()) converted_.push_back(static_cast<float>(value));
}

std::optional<std::span<const float>> EmbeddingTable::in_memory() const {
  switch (place_) {
    case Place::in_tensor:
      return model::floats_in_place(tensor_);
    case Place::converted:
      return converted_;
    case Place::in_file:
      return std::nullopt;
  }
  __builtin_unreachable();
}

void EmbeddingTable::copy_row(size_t index, std::span<float> to) const {
  if (const auto all = in_memory()) {
    std::ranges::copy(all->subspan(index * width_, width_), to.begin());
  } else {
    model::copy_floats(tensor_, index * width_, to);
  }
}

}  // namespace summand::engine
