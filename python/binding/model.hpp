#pragma once

#include <memory>
#include <utility>

#include "python/binding/gil.hpp"
#include "python/binding/python.hpp"
#include "summand/model.hpp"

namespace summand::python {

/// A model during a call, which keeps it.
class OpenModel {
 public:
  explicit OpenModel(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  const Model* operator->() const { return model_.get(); }
  const Model& operator*() const { return *model_; }

 private:
  InsideCall call_;
  std::shared_ptr<const Model> model_;
};

/// A loaded model that Python can close. Calls that run meanwhile keep it.
class SharedModel {
 public:
  explicit SharedModel(Model model) : model_(std::make_shared<const Model>(std::move(model))) {}

  /// @throws UsageError if it has been closed
  [[nodiscard]] OpenModel get() const;
  void close() { model_.reset(); }
  [[nodiscard]] bool is_closed() const { return model_ == nullptr; }

 private:
  std::shared_ptr<const Model> model_;  // read and written with the GIL
};

/// Tokens at which a call other than embed cuts a text.
inline size_t limit_of(const Model& model, const LengthOptions& length) {
  return length.max_length.value_or(model.info().position_limit);
}

using ModelClass = nb::class_<SharedModel>;

/// Loading, closing, sizes, tokens.
ModelClass bind_model(nb::module_& module);
/// Adds sentence vectors.
void bind_embedding(ModelClass& model);
/// Adds the heads.
void bind_heads(ModelClass& model);
/// Adds hidden states.
void bind_hidden_states(ModelClass& model);

}  // namespace summand::python
