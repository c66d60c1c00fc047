#include "api/inspection/hidden_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "api/batches/batch_taps.hpp"
#include "api/batches/record_batches.hpp"
#include "base/error.hpp"
#include "base/matrix.hpp"
#include "io/safetensors_writer.hpp"

namespace summand::api {

namespace {

std::vector<size_t> chosen_layers(const LoadedModel& model, const HiddenOptions& options) {
  const auto last = static_cast<size_t>(model.config().num_hidden_layers);
  if (!options.layers) {
    std::vector<size_t> all(last + 1);
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }
  auto layers = *options.layers;
  for (const size_t layer : layers) {
    if (layer > last) throw UsageError("layers", fmt::format("expected 0 to {}, got {}", last, layer));
  }
  std::ranges::sort(layers);
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

/// The tensors of the file, and the file itself. The hidden states come part by part, so each tensor grows from its
/// own front.
class HiddenFile {
 public:
  HiddenFile(const std::filesystem::path& path, const model::Batch& batch, const std::vector<size_t>& layers,
             size_t hidden, bool has_pooler)
      : out_(path), writer_(out_, headers(batch, layers, hidden, has_pooler)) {
    append_integers(0, batch.ids);
    append_integers(1, batch.segments);
    append_integers(2, batch.offsets);
  }
  void append_layer(size_t index, const Matrix<float>& states) {
    writer_.append(kFirstLayer + index, std::span<const float>(states.elements()));
  }
  void append_pooled(size_t layers, const Matrix<float>& pooled) { append_layer(layers, pooled); }
  /// A pipe takes bytes in their order in the file: only a single part fits.
  [[nodiscard]] bool takes_parts() const { return out_.can_seek(); }
  void commit() {
    writer_.finish();
    out_.commit();
  }

 private:
  static constexpr size_t kFirstLayer = 3;

  static std::vector<io::TensorHeader> headers(const model::Batch& batch, const std::vector<size_t>& layers,
                                               size_t hidden, bool has_pooler) {
    using model::DType;
    std::vector<io::TensorHeader> list{{"ids", DType::i64, {batch.tokens()}},
                                       {"segments", DType::i64, {batch.tokens()}},
                                       {"offsets", DType::i64, {batch.offsets.size()}}};
    for (const size_t layer : layers) {
      list.push_back({fmt::format("hidden.{}", layer), DType::f32, {batch.tokens(), hidden}});
    }
    if (has_pooler) list.push_back({"pooled", DType::f32, {batch.texts(), hidden}});
    return list;
  }
  void append_integers(size_t tensor, const auto& values) {
    const std::vector<int64_t> wide(values.begin(), values.end());
    writer_.append(tensor, std::as_bytes(std::span(wide)));
  }

  io::OutputFile out_;
  io::SafetensorsWriter writer_;
};

/// What one part gives: [tokens, hidden] per layer, and [texts, hidden] pooled.
struct PartStates {
  std::vector<Matrix<float>> layers;
  Matrix<float> pooled;
};

PartStates run_part(const engine::Engine& engine, const model::Batch& part, const std::vector<size_t>& layers,
                    model::Taps<float>* taps) {
  const auto hidden = static_cast<size_t>(engine.config().hidden_size);
  PartStates states{std::vector<Matrix<float>>(layers.size(), Matrix<float>(part.tokens(), hidden)),
                    Matrix<float>(part.texts(), hidden)};
  const auto keep = [&](size_t text, const engine::TextResult& of_text) {
    for (size_t i = 0; i < layers.size(); ++i) {
      for (size_t token = 0; token < of_text.hidden_states[i].rows(); ++token) {
        std::ranges::copy(of_text.hidden_states[i].row(token),
                          states.layers[i].row(part.offsets[text] + token).begin());
      }
    }
    std::ranges::copy(of_text.pooled, states.pooled.row(text).begin());
  };
  engine.run(part, {.hidden_states = layers, .pooled = engine::Pooled::compute, .on_text = keep, .taps = taps});
  return states;
}

}  // namespace

HiddenStates hidden_states(const LoadedModel& model, const TextList& texts, const HiddenOptions& options) {
  const auto layers = chosen_layers(model, options);
  auto read = read_all(model, texts, options.length);
  BatchTaps taps(options.taps, read);
  auto states = run_part(model.engine(), read.batch, layers, taps.for_engine());
  return {.texts = std::move(read.encodings),
          .offsets = std::move(read.batch.offsets),
          .layers = layers,
          .states = std::move(states.layers),
          .pooled = model.engine().has_pooler() ? std::move(states.pooled) : Matrix<float>(),
          .count = read.count};
}

HiddenReport write_hidden_states(const LoadedModel& model, const TextList& texts, const HiddenOptions& options,
                                 const std::filesystem::path& out) {
  const auto layers = chosen_layers(model, options);
  const auto read = read_all(model, texts, options.length);
  const auto& batch = read.batch;
  const auto hidden = static_cast<size_t>(model.config().hidden_size);
  const bool has_pooler = model.engine().has_pooler();
  HiddenFile file(out, batch, layers, hidden, has_pooler);
  const size_t most_tokens = file.takes_parts() ? kBatchTokens : batch.tokens() + 1;
  for (size_t begin = 0, end = 0; begin < batch.texts(); begin = end) {
    end = batch.part_end(begin, most_tokens);
    const auto part = run_part(model.engine(), batch.part(begin, end), layers, nullptr);
    for (size_t i = 0; i < layers.size(); ++i) file.append_layer(i, part.layers[i]);
    if (has_pooler) file.append_pooled(layers.size(), part.pooled);
  }
  file.commit();
  return {.count = read.count, .layers = layers};
}

}  // namespace summand::api
