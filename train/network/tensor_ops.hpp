#pragma once

#include <ATen/ATen.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/attention_kind.hpp"
#include "model/composition.hpp"
#include "train/network/indexed_columns.hpp"
#include "train/network/tensors.hpp"

namespace summand::train {

/// Common operations of TableOps and AttentionOps, on tensors whose last two dimensions are a matrix, after optional
/// dimensions of texts and heads.
class MatrixTensorOps {
 public:
  using Value = at::Tensor;

  explicit MatrixTensorOps(const Placement& placement) : placement_(placement) {}

  [[nodiscard]] Value constant(const Matrix<double>& numbers) const { return tensor_of(numbers, placement_); }
  [[nodiscard]] Value product(const Value& left, const Value& right) const { return at::matmul(left, right); }
  [[nodiscard]] Value product_transposed(const Value& left, const Value& right) const {
    return at::matmul(left, right.transpose(-2, -1));
  }
  [[nodiscard]] Value plus(const Value& left, const Value& right) const { return left + right; }
  [[nodiscard]] Value times(const Value& left, const Value& right) const { return left * right; }
  [[nodiscard]] Value scaled(const Value& value, double factor) const { return value * factor; }
  [[nodiscard]] Value sine(const Value& value) const { return at::sin(value); }
  [[nodiscard]] Value cosine(const Value& value) const { return at::cos(value); }
  [[nodiscard]] Value rows(const Value& value, const std::vector<size_t>& order) const {
    return value.index_select(-2, index_tensor(order, placement_));
  }
  [[nodiscard]] Value columns(const Value& value, const std::vector<size_t>& order) const {
    return value.index_select(-1, index_tensor(order, placement_));
  }
  [[nodiscard]] Value side_by_side(const Value& left, const Value& right) const { return at::cat({left, right}, -1); }
  [[nodiscard]] Value by_query(const Value& value, const Matrix<int32_t>& indices) const {
    if (value.is_cpu()) return indexed_columns(value, indices);
    return value.gather(-1, as_many(index_tensor(indices, placement_), value));
  }
  [[nodiscard]] Value by_key(const Value& value, const Matrix<int32_t>& indices) const {
    if (value.is_cpu()) return indexed_columns(value, transposed(indices)).transpose(-2, -1);
    const at::Tensor by_rows = index_tensor(indices, placement_).transpose(0, 1);
    return value.gather(-1, as_many(by_rows, value)).transpose(-2, -1);
  }
  [[nodiscard]] Value spread(const Value& value, const Matrix<int32_t>& indices) const {
    const at::Tensor at_places = value.flatten(-2).index_select(-1, index_tensor(indices, placement_).flatten());
    return at_places.unflatten(-1, {static_cast<int64_t>(indices.rows()), static_cast<int64_t>(indices.columns())});
  }
  [[nodiscard]] Value collected(const Value& value, const Matrix<int32_t>& indices, size_t columns) const {
    if (value.is_cpu()) return summed_columns(value, indices, static_cast<int64_t>(columns));
    auto shape = value.sizes().vec();
    shape.back() = static_cast<int64_t>(columns);
    return at::zeros(shape, value.options()).scatter_add(-1, as_many(index_tensor(indices, placement_), value), value);
  }

 protected:
  /// The same indices for each text and head.
  [[nodiscard]] static at::Tensor as_many(const at::Tensor& indices, const Value& like) {
    auto shape = like.sizes().vec();
    shape[shape.size() - 2] = indices.size(0);
    shape[shape.size() - 1] = indices.size(1);
    return indices.expand(shape);
  }
  [[nodiscard]] const Placement& placement() const { return placement_; }

 private:
  [[nodiscard]] static Matrix<int32_t> transposed(const Matrix<int32_t>& indices) {
    Matrix<int32_t> result(indices.columns(), indices.rows());
    for (size_t i = 0; i < result.rows(); ++i) {
      for (size_t j = 0; j < result.columns(); ++j) result(i, j) = indices(j, i);
    }
    return result;
  }

  Placement placement_;
};

/// A parameter as a matrix; a vector has one row.
[[nodiscard]] inline at::Tensor as_matrix(const at::Tensor& parameter) {
  return parameter.dim() == 1 ? parameter.unsqueeze(0) : parameter;
}

/// TableOps.
class TableTensorOps : public MatrixTensorOps {
 public:
  explicit TableTensorOps(const Parameters& parameters)
      : MatrixTensorOps(parameters.placement()), parameters_(parameters) {}

  [[nodiscard]] Value parameter(std::string_view name) const {
    return as_matrix(parameters_.at("embeddings." + std::string(name)));
  }

 private:
  const Parameters& parameters_;
};

/// CompositionOps on the rows of many tokens, [tokens, width].
class TokenTensorOps : public MatrixTensorOps {
 public:
  explicit TokenTensorOps(const Parameters& parameters)
      : MatrixTensorOps(parameters.placement()), parameters_(parameters) {}

  [[nodiscard]] Value minus(const Value& left, const Value& right) const { return left - right; }
  [[nodiscard]] Value linear(const Value& value, std::string_view name) const {
    const at::Tensor* bias = parameters_.find(full(name) + ".bias");
    return at::linear(value, parameters_.at(full(name) + ".weight"),
                      bias == nullptr ? std::optional<at::Tensor>() : *bias);
  }
  [[nodiscard]] Value transposed(const Value& value, std::string_view name) const {
    return at::matmul(value, parameters_.at(full(name) + ".weight"));
  }
  [[nodiscard]] Value scale(const Value& value, std::string_view name) const {
    return value * parameters_.at(full(name));
  }
  [[nodiscard]] Value logistic(const Value& value) const { return at::sigmoid(value); }

 private:
  [[nodiscard]] static std::string full(std::string_view name) {
    return std::string(model::kCompositionPrefix) + std::string(name);
  }
  const Parameters& parameters_;
};

/// AttentionOps of all heads at once: matrices of a head are [heads, rows, columns], those that all share [rows,
/// columns].
class HeadTensorOps : public MatrixTensorOps {
 public:
  HeadTensorOps(const Parameters& parameters, const model::AttentionEncoding& encoding, size_t layer, double epsilon)
      : MatrixTensorOps(parameters.placement()),
        parameters_(parameters),
        encoding_(encoding),
        layer_(model::attention_prefix(layer)),
        epsilon_(epsilon) {}

  [[nodiscard]] Value parameter(std::string_view name) const {
    const std::string own = std::string(encoding_.prefix) + std::string(name);
    const std::string shared = std::string(model::kSharedAttentionPrefix) + own;
    for (const auto& full : {layer_ + own, shared, layer_ + std::string(name)}) {
      if (const at::Tensor* found = parameters_.find(full)) return as_matrix(*found);
    }
    // If queries and keys share a map, it is the query's.
    if (name.starts_with("key.")) return parameter("query" + std::string(name.substr(3)));
    return as_matrix(parameters_.at(layer_ + own));  // and says that it is missing
  }
  [[nodiscard]] Value head_constant(const std::vector<double>& of_heads) const {
    Matrix<double> numbers(of_heads.size(), 1);
    for (size_t head = 0; head < of_heads.size(); ++head) numbers(head, 0) = of_heads[head];
    return constant(numbers).unsqueeze(-1);
  }
  [[nodiscard]] Value head_columns(const Value& value) const {
    return value.unflatten(-1, {heads(), value.size(-1) / heads()}).transpose(0, 1);
  }
  [[nodiscard]] Value head_rows(const Value& value) const {
    return value.unflatten(0, {heads(), value.size(0) / heads()});
  }
  [[nodiscard]] Value normalised(const Value& value, std::string_view name) const {
    return at::layer_norm(value, {value.size(-1)}, parameter(std::string(name) + ".weight").squeeze(0),
                          parameter(std::string(name) + ".bias").squeeze(0), epsilon_);
  }

 private:
  [[nodiscard]] int64_t heads() const { return static_cast<int64_t>(encoding_.sizes.heads); }

  const Parameters& parameters_;
  const model::AttentionEncoding& encoding_;
  std::string layer_;
  double epsilon_;
};

static_assert(model::CompositionOps<TokenTensorOps>);
static_assert(model::TableOps<TableTensorOps>);
static_assert(model::AttentionOps<HeadTensorOps>);

}  // namespace summand::train
