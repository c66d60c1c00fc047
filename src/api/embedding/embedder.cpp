#include "api/embedding/embedder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/batches/batch_taps.hpp"
#include "api/embedding/embedding_batches.hpp"
#include "api/options/option_names.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "engine/kernels/kernel_set.hpp"
#include "model/sentence_pooling.hpp"

namespace summand::api {

namespace {

[[noreturn]] void throw_unknown_prompt(const std::string& name, const auto& known) {
  std::vector<std::string> names;
  for (const auto& [one, text] : known) names.push_back(one);
  throw UsageError("prompt-name",
                   fmt::format("expected the name of one of the model's prompts, {}, got '{}'",
                               names.empty() ? "of which it has none" : quoted_list(names), printable(name)));
}

/// As written in the settings of a file of vectors.
std::string normalization_name(Normalization normalization) {
  switch (normalization) {
    case Normalization::as_model:
      return "as the model";
    case Normalization::none:
      return "none";
    case Normalization::always:
      return "always";
  }
  __builtin_unreachable();
}

const model::SentenceStep kNormalize = model::Normalize();

}  // namespace

Embedder::Embedder(const LoadedModel& model, EmbedOptions options)
    : model_(&model), options_(std::move(options)), once_more_(std::span(&kNormalize, 1)) {
  first_ending_ = model::first_ending(model.checkpoint().sentence_modules());
  choose_prompt();
  choose_pooling();
  choose_width();
  check_windows();
}

text::Truncation Embedder::truncation() const {
  return options_.length.truncation.value_or(text::Truncation::longest_first);
}

void Embedder::check_windows() const {
  if (!options_.windows) return;
  if (options_.windows->pooling == WindowPooling::transformer) {
    throw UsageError("windows",
                     "expected mean or max for sentence vectors, got transformer, which is for labels of texts");
  }
  if (truncation() != text::Truncation::longest_first) {
    throw UsageError("windows", "expected either a way to cut or windows, which cut nothing, got both");
  }
  const size_t special = model_->tokenizer().special_tokens_around_text();
  if (special >= limit()) {
    throw UsageError("max-length",
                     fmt::format("expected more than {} for windows, of which special tokens take {}, got {}", special,
                                 special, limit()));
  }
  if (options_.windows->overlap + special >= limit()) {
    throw UsageError("overlap",
                     fmt::format("expected less than {}, the tokens of a window without special ones, got {}",
                                 limit() - special, options_.windows->overlap));
  }
}

void Embedder::choose_prompt() {
  const auto& sentence = model_->checkpoint().sentence;
  if (options_.prompt && options_.prompt_name) {
    throw UsageError("prompt", "expected either a prompt or the name of one, got both");
  }
  prompt_ = options_.prompt.value_or("");
  if (!is_valid_utf8(prompt_)) throw UsageError("prompt", "expected UTF-8, got other bytes");
  if (!options_.prompt) prompt_name_ = options_.prompt_name ? options_.prompt_name : sentence.default_prompt_name;
  if (prompt_name_) {
    const auto named = sentence.prompts.find(*prompt_name_);
    if (named == sentence.prompts.end()) throw_unknown_prompt(*prompt_name_, sentence.prompts);
    prompt_ = named->second;
  }
  if (prompt_.empty() || sentence.include_prompt) return;
  prompt_tokens_ = model_->sentence().prompt_tokens(prompt_, model_->tokenizer());
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
  const auto& steps = model_->sentence().steps();
  for (size_t step = 0; step < steps.size(); ++step) {
    const auto width = steps.width_after(step, width_);
    if (!width) {
      throw UsageError("pooling", fmt::format("the model's next layer takes {} coordinates, this pooling gives {}",
                                              steps.width_taken(step).value_or(0), width_));
    }
    width_ = *width;
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

ReadingOptions Embedder::reading(size_t batch_tokens) const {
  return {.length = options_.length,
          .windows = options_.windows,
          .limit = limit(),
          .prompt = prompt_,
          .batch_tokens = batch_tokens,
          .encodings = KeepEncodings::no};
}

std::vector<float> Embedder::pool_states(std::span<const MatrixView<const float>> states) const {
  std::vector<float> vector;
  for (const auto pooling : pooling_) model::pool<float>(pooling, states, prompt_tokens_, vector);
  return model_->sentence().steps().apply({0, first_ending_}, std::move(vector));
}

Embedder::PooledSequences Embedder::pool(const RecordBatch& read, const OnSequence& on_sequence) const {
  PooledSequences pooled{.rows = Matrix<float>(read.batch.texts(), pooled_width_)};
  const auto keep = [&](size_t sequence, const engine::TextResult& result) {
    std::ranges::copy(pool_states(result.hidden_states), pooled.rows.row(sequence).begin());
    if (on_sequence) on_sequence(sequence);
  };
  BatchTaps taps(options_.taps, read);
  const auto report =
      model_->engine().run(read.batch, {.hidden_states = states_, .on_text = keep, .taps = taps.for_engine()});
  pooled.threads = report.threads;
  return pooled;
}

std::vector<float> Embedder::finish(std::vector<float> pooled) const {
  const auto& steps = model_->sentence().steps();
  if (options_.normalization != Normalization::none) {
    pooled = steps.apply({first_ending_, steps.size()}, std::move(pooled));
  }
  pooled.resize(width_);
  return options_.normalization == Normalization::always ? once_more_.apply({0, once_more_.size()}, std::move(pooled))
                                                         : pooled;
}

Embedder::BatchVectors Embedder::vectors(const RecordBatch& read, const OnSequence& on_sequence) const {
  const auto pooled = pool(read, on_sequence);
  BatchVectors made{.vectors = Matrix<float>(read.size(), width_), .threads = pooled.threads};
  for (size_t record = 0; record < read.size(); ++record) {
    WindowCombiner combiner(options_.windows.value_or(WindowOptions()).pooling);
    for (size_t sequence = read.sequences[record]; sequence < read.sequences[record + 1]; ++sequence) {
      if (read.batch.length(sequence) > 0) combiner.add(pooled.rows.row(sequence));
    }
    std::ranges::copy(finish(combiner.combined()), made.vectors.row(record).begin());
  }
  return made;
}

Embeddings Embedder::embed(const TextList& texts) const {
  Embeddings done{.vectors = Matrix<float>(texts.size(), width_)};
  EmbeddingBatches batches(*this, texts);
  while (const auto batch = batches.next()) {
    std::ranges::copy(batch->vectors.elements(), done.vectors.row(batch->read.first).begin());
  }
  done.count = batches.count();
  done.threads = batches.threads();
  return done;
}

std::vector<ResultSetting> Embedder::settings_of_vector() const {
  std::vector<std::string> poolings;
  for (const auto pooling : pooling_) poolings.emplace_back(model::name_of(pooling));
  return {{"prompt tokens left out", std::to_string(prompt_tokens_)},
          {"pooling", fmt::format("{}", fmt::join(poolings, ", "))},
          {"normalization", normalization_name(options_.normalization)},
          {"dimensions", std::to_string(width_)}};
}

std::vector<ResultSetting> Embedder::settings() const {
  std::vector<ResultSetting> settings{{"model files", fmt::format("{:016x}", model_->fingerprint())},
                                      {"precision", model_->precision_description()},
                                      {"instruction set", std::string(engine::chosen_kernel_set().name)},
                                      {"prompt", prompt_}};
  std::ranges::copy(settings_of_vector(), std::back_inserter(settings));
  const auto& windows = options_.windows;
  const std::vector<ResultSetting> reading{{"truncation", std::string(api::name_of(truncation()))},
                                           {"max-length", std::to_string(limit())},
                                           {"windows", windows ? std::string(api::name_of(windows->pooling)) : "none"},
                                           {"overlap", windows ? std::to_string(windows->overlap) : "none"}};
  std::ranges::copy(reading, std::back_inserter(settings));
  return settings;
}

}  // namespace summand::api
