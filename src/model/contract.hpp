#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/parameter.hpp"

namespace summand::model {

/// Builds a parameter contract: a list of parameters in the order of the forward pass.
class Contract {
 public:
  /// @param prefix  of every name, as in "embeddings.composition."
  explicit Contract(ParameterGroup part = ParameterGroup::encoder, std::string prefix = "")
      : part_(part), prefix_(std::move(prefix)) {}

  /// @param name  whole: that of a matrix is "<layer>.weight"
  void matrix(const std::string& name, size_t rows, size_t columns, Initialiser initialiser = Initialiser::normal) {
    add(name, {rows, columns}, initialiser);
  }
  /// <name>.weight [out, in] and <name>.bias [out]
  void linear(const std::string& name, size_t out, size_t in) {
    matrix(name + ".weight", out, in);
    vector(name + ".bias", out, Initialiser::zeros);
  }
  void vector(const std::string& name, size_t width, Initialiser initialiser) { add(name, {width}, initialiser); }
  /// <name>.weight and <name>.bias [width] of a layer normalisation
  void norm(const std::string& name, size_t width) {
    vector(name + ".weight", width, Initialiser::ones);
    vector(name + ".bias", width, Initialiser::zeros);
  }
  /// Sets the group and the prefix of the following parameters.
  void part(ParameterGroup part, std::string prefix = "") {
    part_ = part;
    prefix_ = std::move(prefix);
  }
  [[nodiscard]] std::vector<Parameter> take() { return std::move(list_); }

 private:
  void add(const std::string& name, std::vector<size_t> shape, Initialiser initialiser) {
    list_.push_back({prefix_ + name, std::move(shape), initialiser, part_});
  }

  std::vector<Parameter> list_;
  ParameterGroup part_;
  std::string prefix_;
};

}  // namespace summand::model
