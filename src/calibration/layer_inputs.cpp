#include "calibration/layer_inputs.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace summand::calibration {

namespace {

/// Copies what passes into its rows.
class Recorder : public model::Taps<float> {
 public:
  Recorder(const model::Config& config, const model::Batch& batch, Range layers) : batch_(batch), layers_(layers) {
    const auto hidden = static_cast<size_t>(config.hidden_size);
    const auto intermediate = static_cast<size_t>(config.intermediate_size);
    for (size_t i = 0; i < layers.size(); ++i) {
      inputs_.push_back({.hidden = Matrix<float>(batch.tokens(), hidden),
                         .context = Matrix<float>(batch.tokens(), hidden),
                         .attended = Matrix<float>(batch.tokens(), hidden),
                         .intermediate = Matrix<float>(batch.tokens(), intermediate)});
    }
  }

  [[nodiscard]] bool wants(model::TapPoint point) const override {
    switch (point) {
      case model::TapPoint::input:
      case model::TapPoint::context:
      case model::TapPoint::attention_output:
      case model::TapPoint::intermediate:
      case model::TapPoint::layer_output:
        return true;
      case model::TapPoint::token_part:
      case model::TapPoint::position_part:
      case model::TapPoint::segment_part:
      case model::TapPoint::sum:
      case model::TapPoint::query:
      case model::TapPoint::key:
      case model::TapPoint::value:
      case model::TapPoint::scores:
      case model::TapPoint::attention:
        return false;
    }
    __builtin_unreachable();
  }

  void visit(const model::TapSite& site, MatrixView<float> values) override {
    // A layer's output is what the next layer's first product reads.
    const size_t reader = site.layer + (site.point == model::TapPoint::layer_output ? 1 : 0);
    if (reader < layers_.begin || reader >= layers_.end) return;
    Matrix<float>& kept = matrix(inputs_[reader - layers_.begin], site.point);
    for (size_t row = 0; row < values.rows(); ++row) {
      std::ranges::copy(values.row(row), kept.row(batch_.offsets[site.text] + row).begin());
    }
  }

  [[nodiscard]] std::vector<LayerInputs> inputs() { return std::move(inputs_); }

 private:
  static Matrix<float>& matrix(LayerInputs& inputs, model::TapPoint point) {
    switch (point) {
      case model::TapPoint::context:
        return inputs.context;
      case model::TapPoint::attention_output:
        return inputs.attended;
      case model::TapPoint::intermediate:
        return inputs.intermediate;
      default:
        return inputs.hidden;
    }
  }

  const model::Batch& batch_;
  Range layers_;
  std::vector<LayerInputs> inputs_;
};

}  // namespace

std::vector<LayerInputs> layer_inputs(const engine::Engine& engine, const model::Batch& batch, Range layers) {
  SUMMAND_ASSERT(engine.precision() == engine::Precision::fp32 && !engine.config().per_layer_inputs.any());
  Recorder recorder(engine.config(), batch, layers);
  const std::vector<size_t> states{layers.end};
  engine.run(batch, {.hidden_states = states, .taps = &recorder});
  return recorder.inputs();
}

}  // namespace summand::calibration
