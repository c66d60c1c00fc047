#include "api/hidden_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

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

/// Texts that are run together: about this many tokens.
constexpr size_t kWindowTokens = 16384;

/// The tensors of the file, and the file itself. The hidden states come window by window, so each tensor grows from its
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
  /// A pipe takes bytes in their order in the file: only a single window fits.
  [[nodiscard]] bool takes_windows() const { return out_.can_seek(); }
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

/// Texts [begin, end) of a batch as a batch of their own.
model::Batch window_of(const model::Batch& batch, size_t begin, size_t end) {
  model::Batch window;
  for (size_t text = begin; text < end; ++text) {
    const auto rows = [&](const std::vector<int32_t>& values) {
      return std::span(values).subspan(batch.offsets[text], batch.length(text));
    };
    window.add(rows(batch.ids), rows(batch.segments));
  }
  return window;
}

/// What one window gives: [tokens, hidden] per layer, and [texts, hidden] pooled.
struct WindowStates {
  std::vector<Matrix<float>> layers;
  Matrix<float> pooled;
};

WindowStates run_window(const engine::Engine& engine, const model::Batch& window, const std::vector<size_t>& layers,
                        size_t hidden) {
  WindowStates states{std::vector<Matrix<float>>(layers.size(), Matrix<float>(window.tokens(), hidden)),
                      Matrix<float>(window.texts(), hidden)};
  const auto keep = [&](size_t text, const engine::TextResult& of_text) {
    for (size_t i = 0; i < layers.size(); ++i) {
      for (size_t token = 0; token < of_text.hidden_states[i].rows(); ++token) {
        std::ranges::copy(of_text.hidden_states[i].row(token),
                          states.layers[i].row(window.offsets[text] + token).begin());
      }
    }
    std::ranges::copy(of_text.pooled, states.pooled.row(text).begin());
  };
  engine.run(window, {.hidden_states = layers, .pooled = engine::Pooled::compute, .on_text = keep});
  return states;
}

}  // namespace

HiddenStates hidden_states(const LoadedModel& model, const TextList& texts, const HiddenOptions& options) {
  const auto layers = chosen_layers(model, options);
  auto encoded = model.encode_all(texts, options.length, model.position_limit());
  const auto hidden = static_cast<size_t>(model.config().hidden_size);
  auto states = run_window(model.engine(), encoded.batch, layers, hidden);
  return {.texts = std::move(encoded.encodings),
          .offsets = std::move(encoded.batch.offsets),
          .layers = layers,
          .states = std::move(states.layers),
          .pooled = model.engine().has_pooler() ? std::move(states.pooled) : Matrix<float>(),
          .texts_cut = encoded.texts_cut};
}

HiddenReport write_hidden_states(const LoadedModel& model, const TextList& texts, const HiddenOptions& options,
                                 const std::filesystem::path& out) {
  const auto layers = chosen_layers(model, options);
  const auto encoded = model.encode_all(texts, options.length, model.position_limit());
  const auto hidden = static_cast<size_t>(model.config().hidden_size);
  const bool has_pooler = model.engine().has_pooler();
  HiddenFile file(out, encoded.batch, layers, hidden, has_pooler);
  const size_t window_tokens = file.takes_windows() ? kWindowTokens : encoded.batch.tokens() + 1;

  for (size_t begin = 0; begin < texts.size();) {
    size_t end = begin + 1;
    while (end < texts.size() && encoded.batch.offsets[end + 1] - encoded.batch.offsets[begin] <= window_tokens) ++end;
    const auto window = run_window(model.engine(), window_of(encoded.batch, begin, end), layers, hidden);
    for (size_t i = 0; i < layers.size(); ++i) file.append_layer(i, window.layers[i]);
    if (has_pooler) file.append_pooled(layers.size(), window.pooled);
    begin = end;
  }
  file.commit();
  return {.texts = texts.size(), .tokens = encoded.batch.tokens(), .texts_cut = encoded.texts_cut, .layers = layers};
}

}  // namespace summand::api
