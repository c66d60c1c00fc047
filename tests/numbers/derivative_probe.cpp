// derivative_probe MODEL_DIR BATCH.safetensors: exact derivatives of f = Σ sin(1 + i)·h_i, h the last hidden state of
// text 0 row by row, at the input sum. Reads lines "token_a coordinate_a token_b coordinate_b" and answers each with
// "∂f/∂x_a ∂²f/∂x_a∂x_b" by nested dual numbers through the reference.

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <vector>

#include "io/checkpoint.hpp"
#include "io/safetensors.hpp"
#include "reference/bert.hpp"

using namespace summand;

namespace {

using Second = reference::Dual<reference::Dual<double>>;

/// Seeds two coordinates of the sum: the outer derivative is by the first, the inner one by the second.
class Seeds : public model::Taps<Second> {
 public:
  struct Place {
    size_t token = 0;
    size_t coordinate = 0;
  };
  Seeds(Place outer, Place inner) : outer_(outer), inner_(inner) {}

  [[nodiscard]] bool wants(model::TapPoint point) const override { return point == model::TapPoint::sum; }
  void visit(const model::TapSite&, MatrixView<Second> values) override {
    values(outer_.token, outer_.coordinate).derivative.value = 1;
    values(inner_.token, inner_.coordinate).value.derivative = 1;
  }

 private:
  Place outer_;
  Place inner_;
};

std::vector<int32_t> integers(const io::SafetensorsFile& file, const char* name) {
  const auto values = model::to_doubles(file.tensors.at(name));
  return {values.begin(), values.end()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: derivative_probe MODEL_DIR BATCH.safetensors\n");
    return 2;
  }
  try {
    const auto checkpoint = io::load_checkpoint(argv[1]);
    const auto file = io::read_safetensors(argv[2]);
    model::Batch batch;
    batch.add(integers(file, "ids"), integers(file, "segments"));
    const reference::Bert<Second> bert(checkpoint.config.config, checkpoint.weights);
    Seeds::Place a;
    Seeds::Place b;
    while (std::cin >> a.token >> a.coordinate >> b.token >> b.coordinate) {
      Seeds seeds(a, b);
      const auto output = bert.run(batch, 0, &seeds);
      Second f(0);
      double index = 0;
      for (const Second& x : output.hidden_states.back().elements()) f += x * std::sin(index += 1);
      fmt::print("{:.17g} {:.17g}\n", f.derivative.value, f.derivative.derivative);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "derivative_probe: {}\n", error.what());
    return 1;
  }
  return 0;
}
