#include "api/embedder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "engine/instruction_set.hpp"
#include "model/sentence_pooling.hpp"
#include "reference/functions.hpp"

namespace summand::api {

namespace {

float activate(model::DenseActivation activation, float x) {
  switch (activation) {
    case model::DenseActivation::identity:
      return x;
    case model::DenseActivation::tanh:
      return reference::activate(model::Activation::tanh, x);
    case model::DenseActivation::relu:
      return reference::activate(model::Activation::relu, x);
    case model::DenseActivation::gelu:
      return reference::activate(model::Activation::gelu, x);
    case model::DenseActivation::sigmoid:
      return 1.0F / (1.0F + std::exp(-x));
  }
  __builtin_unreachable();
}

/// Divides by the Euclidean norm; a zero vector stays. Source: torch.nn.functional.normalize, eps 1e-12.
void normalize(std::vector<float>& vector) {
  double squares = 0;
  for (const float x : vector) squares += static_cast<double>(x) * x;
  const double norm = std::max(std::sqrt(squares), 1e-12);
  for (float& x : vector) x = static_cast<float>(x / norm);
}

}  // namespace

Embedder::Embedder(const LoadedModel& model, EmbedOptions options) : model_(&model), options_(std::move(options)) {
  choose_prompt();
  choose_pooling();
  for (const auto& dense : model.checkpoint().sentence.dense) {
    dense_.push_back({model::to_matrix<float>(dense.weight),
                      dense.bias ? model::to_floats(*dense.bias) : std::vector<float>(), dense.activation});
  }
  choose_width();
}

void Embedder::choose_prompt() {
  const auto& sentence = model_->checkpoint().sentence;
  const auto wanted = options_.prompt ? options_.prompt : sentence.default_prompt_name;
  if (!wanted) return;
  const auto named = sentence.prompts.find(*wanted);
  prompt_ = named != sentence.prompts.end() ? named->second : *wanted;
  if (prompt_.empty() || sentence.include_prompt) return;
  // As sentence-transformers counts them: the prompt's own tokens with specials, less the closing one.
  const auto encoding = model_->tokenizer().encode(prompt_);
  prompt_tokens_ = encoding.ids.size();
  if (prompt_tokens_ > 0 && encoding.special.back() != 0) --prompt_tokens_;
}

void Embedder::choose_pooling() {
  pooling_ = options_.pooling.empty() ? model_->checkpoint().sentence.pooling : options_.pooling;
  size_t layers = 1;
  for (const auto pooling : pooling_) layers = std::max(layers, model::layers_read(pooling));
  const auto last = static_cast<size_t>(model_->config().num_hidden_layers);
  if (layers > last + 1) {
    throw UsageError("pooling", fmt::format("the last four layers were asked for, the model has {}", last));
  }
  for (size_t state = last + 1 - layers; state <= last; ++state) states_.push_back(state);
}

void Embedder::choose_width() {
  const auto hidden = static_cast<size_t>(model_->config().hidden_size);
  for (const auto pooling : pooling_) width_ += hidden * (pooling == model::Pooling::last_four_concat ? 4 : 1);
  for (const auto& dense : dense_) {
    if (dense.weight.columns() != width_) {
      throw UsageError("pooling", fmt::format("the model's dense layer takes {} coordinates, this pooling gives {}",
                                              dense.weight.columns(), width_));
    }
    width_ = dense.weight.rows();
  }
  if (!options_.dimensions) options_.dimensions = model_->checkpoint().sentence.truncate_dimensions;
  if (!options_.dimensions) return;
  if (*options_.dimensions < 1 || *options_.dimensions > width_) {
    throw UsageError("dimensions", fmt::format("expected 1 to {}, got {}", width_, *options_.dimensions));
  }
  width_ = *options_.dimensions;
}

size_t Embedder::limit() const {
  return options_.length.max_length.value_or(model_->sentence_limit());
}

text::Encoding Embedder::encode(const text::InputRecord& record) const {
  if (prompt_.empty()) return model_->encode(record, options_.length, limit());
  if (record.words) {
    throw UsageError("prompt", "a prompt cannot be put before words that are already split");
  }
  text::InputRecord with_prompt = record;
  with_prompt.text.insert(0, prompt_);
  return model_->encode(with_prompt, options_.length, limit());
}

std::vector<float> Embedder::finish(std::span<const MatrixView<const float>> states) const {
  std::vector<float> vector;
  for (const auto pooling : pooling_) model::pool<float>(pooling, states, prompt_tokens_, vector);
  for (const auto& dense : dense_) {
    std::vector<float> out(dense.weight.rows());
    for (size_t row = 0; row < out.size(); ++row) {
      float total = dense.bias.empty() ? 0.0F : dense.bias[row];
      for (size_t i = 0; i < vector.size(); ++i) total += dense.weight(row, i) * vector[i];
      out[row] = activate(dense.activation, total);
    }
    vector = std::move(out);
  }
  const bool normalized = model_->checkpoint().sentence.normalize;
  if (normalized && options_.normalization == Normalization::as_model) normalize(vector);
  vector.resize(width_);
  return vector;
}

Embeddings Embedder::embed(std::span<const text::InputRecord> records) const {
  model::Batch batch;
  size_t texts_cut = 0;
  for (const auto& record : records) {
    const auto encoding = encode(record);
    texts_cut += encoding.cut > 0 ? 1 : 0;
    batch.add(encoding.ids, encoding.segments);
  }
  Embeddings result = run(batch);
  result.texts_cut = texts_cut;
  return result;
}

Embeddings Embedder::run(const model::Batch& batch) const {
  Embeddings result{.vectors = Matrix<float>(batch.texts(), width_), .texts_cut = 0, .threads = 0};
  const auto keep = [&](size_t text, const engine::TextResult& of_text) {
    std::ranges::copy(finish(of_text.hidden_states), result.vectors.row(text).begin());
  };
  result.threads = model_->engine().run(batch, {.hidden_states = states_, .on_text = keep}).threads;
  return result;
}

uint64_t Embedder::fingerprint() const {
  Hash hash;
  hash.add_number(model_->fingerprint());
  hash.add(prompt_);
  hash.add_number(prompt_tokens_);
  for (const auto pooling : pooling_) hash.add(model::name_of(pooling));
  hash.add_number(static_cast<uint64_t>(options_.normalization));
  hash.add_number(static_cast<uint64_t>(options_.length.truncation));
  hash.add_number(limit());
  hash.add_number(width_);
  hash.add(model::name_of(engine::chosen_instruction_set()));
  return hash.value();
}

}  // namespace summand::api
