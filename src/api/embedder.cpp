#include "api/embedder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/embed_queue.hpp"
#include "api/names.hpp"
#include "base/error.hpp"
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

[[noreturn]] void throw_unknown_prompt(const std::string& name, const auto& known) {
  std::vector<std::string> names;
  for (const auto& [one, text] : known) names.push_back(one);
  throw UsageError("prompt-name",
                   fmt::format("expected the name of one of the model's prompts, {}, got '{}'",
                               names.empty() ? "of which it has none" : quoted_list(names), printable(name)));
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
  check_windows();
}

void Embedder::check_windows() const {
  if (!options_.windows) return;
  if (options_.length.truncation != text::Truncation::longest_first) {
    throw UsageError("windows", "expected either a way to cut or windows, which cut nothing, got both");
  }
  const size_t special = model_->tokenizer().special_tokens_around_text();
  if (options_.windows->overlap + special >= limit()) {
    throw UsageError("overlap",
                     fmt::format("expected less than {}, the tokens of a window without special ones, got {}",
                                 limit() - std::min(limit(), special), options_.windows->overlap));
  }
}

void Embedder::choose_prompt() {
  const auto& sentence = model_->checkpoint().sentence;
  if (options_.prompt && options_.prompt_name) {
    throw UsageError("prompt", "expected either a prompt or the name of one, got both");
  }
  prompt_ = options_.prompt.value_or("");
  if (!options_.prompt) prompt_name_ = options_.prompt_name ? options_.prompt_name : sentence.default_prompt_name;
  if (prompt_name_) {
    const auto named = sentence.prompts.find(*prompt_name_);
    if (named == sentence.prompts.end()) throw_unknown_prompt(*prompt_name_, sentence.prompts);
    prompt_ = named->second;
  }
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
  pooled_width_ = width_;
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

WindowPooling Embedder::window_pooling() const {
  return options_.windows.value_or(WindowOptions()).pooling;
}

size_t Embedder::encode(const TextView& text, const std::function<void(const text::Encoding&)>& take) const {
  if (!prompt_.empty() && text.words) {
    throw UsageError("prompt", "a prompt cannot be put before words that are already split");
  }
  TextView whole = text;
  std::string prompted;
  if (!prompt_.empty()) whole.text = prompted = prompt_ + std::string(text.text);
  if (!options_.windows) {
    take(model_->encode(whole, options_.length, limit()));
    return 1;
  }
  const auto divided = model_->divide(
      whole, {.max_length = limit(), .overlap = options_.windows->overlap, .repeated_bytes = prompt_.size()});
  for (size_t window = 0; window < divided.windows(); ++window) {
    const auto encoding = divided.window(window);
    model_->check_ids(encoding);
    take(encoding);
  }
  return divided.windows();
}

std::vector<float> Embedder::pool_states(std::span<const MatrixView<const float>> states) const {
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
  return vector;
}

Embedder::PooledSequences Embedder::pool(const model::Batch& batch, const OnSequence& on_sequence) const {
  PooledSequences pooled{.rows = Matrix<float>(batch.texts(), pooled_width_)};
  const auto keep = [&](size_t sequence, const engine::TextResult& result) {
    std::ranges::copy(pool_states(result.hidden_states), pooled.rows.row(sequence).begin());
    if (on_sequence) on_sequence(sequence);
  };
  pooled.threads = model_->engine().run(batch, {.hidden_states = states_, .on_text = keep}).threads;
  return pooled;
}

std::vector<float> Embedder::finish(std::vector<float> pooled) const {
  const bool normalized = model_->checkpoint().sentence.normalize;
  if (normalized && options_.normalization == Normalization::as_model) normalize(pooled);
  pooled.resize(width_);
  return pooled;
}

Embeddings Embedder::embed(const TextList& texts) const {
  EmbedQueue queue(*this);
  for (const auto& text : texts) queue.add(text);
  return queue.take();
}

std::vector<Setting> Embedder::settings() const {
  std::vector<std::string> poolings;
  for (const auto pooling : pooling_) poolings.emplace_back(model::name_of(pooling));
  const bool normalized = options_.normalization == Normalization::as_model;
  const auto& windows = options_.windows;
  return {{"model files", fmt::format("{:016x}", model_->fingerprint())},
          {"precision", model_->precision_description()},
          {"instruction set", std::string(model::name_of(engine::chosen_instruction_set()))},
          {"prompt", escaped(prompt_)},
          {"prompt tokens left out", std::to_string(prompt_tokens_)},
          {"pooling", fmt::format("{}", fmt::join(poolings, ", "))},
          {"normalization", normalized ? "as the model" : "none"},
          {"dimensions", std::to_string(width_)},
          {"truncation", std::string(api::name_of(options_.length.truncation))},
          {"max-length", std::to_string(limit())},
          {"windows", windows ? std::string(api::name_of(windows->pooling)) : "none"},
          {"overlap", windows ? std::to_string(windows->overlap) : "none"}};
}

}  // namespace summand::api
