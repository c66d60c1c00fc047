#include "api/model/loaded_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "api/model/packed_cache.hpp"
#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "io/resolve_model.hpp"
#include "text/encode_text.hpp"

namespace summand::api {

namespace {

bool is_weights(const std::filesystem::path& file) {
  return file.extension() == ".safetensors" || file.extension() == ".bin";
}
/// Settings and vocabularies are smaller.
constexpr size_t kMostHashed = size_t{64} << 20;

/// By its extension: the directory may also contain outputs and notes.
bool is_of_checkpoint(const std::filesystem::path& file) {
  const auto extension = file.extension();
  return is_weights(file) || extension == ".json" || extension == ".txt";
}

/// Weights that are not in 8 bits run in int8 only on request.
engine::Precision automatic(model::WeightFormat format) {
  const auto& set = engine::chosen_kernel_set();
  switch (format) {
    case model::WeightFormat::floating:
      return engine::preference(set).floating;
    case model::WeightFormat::summand_int8:
    case model::WeightFormat::summand_int8_calibrated:
      return engine::runs(engine::Precision::int8, set) ? engine::Precision::int8 : engine::Precision::fp32;
  }
  __builtin_unreachable();
}

/// An int8 checkpoint was made to run in int8; nothing else leaves single precision unasked.
engine::Precision of_checkpoint(model::WeightFormat format) {
  switch (format) {
    case model::WeightFormat::floating:
      return engine::Precision::fp32;
    case model::WeightFormat::summand_int8:
    case model::WeightFormat::summand_int8_calibrated:
      return automatic(format);
  }
  __builtin_unreachable();
}

/// The options for the engine.
engine::Precision chosen(Precision asked, model::WeightFormat format) {
  switch (asked) {
    case Precision::fp32:
      return engine::Precision::fp32;
    case Precision::bf16:
      return engine::Precision::bf16;
    case Precision::fp16:
      return engine::Precision::fp16;
    case Precision::int8:
      return engine::Precision::int8;
    case Precision::automatic:
      return automatic(format);
    case Precision::of_checkpoint:
      return of_checkpoint(format);
  }
  __builtin_unreachable();
}

Precision public_name(engine::Precision precision) {
  switch (precision) {
    case engine::Precision::fp32:
      return Precision::fp32;
    case engine::Precision::bf16:
      return Precision::bf16;
    case engine::Precision::fp16:
      return Precision::fp16;
    case engine::Precision::int8:
      return Precision::int8;
  }
  __builtin_unreachable();
}

std::optional<engine::WindowEncoder> window_encoder_of(const io::Checkpoint& checkpoint) {
  const bool has_one =
      checkpoint.config.config.window_encoder && checkpoint.parts.has(model::Head::sequence_classification);
  if (!has_one) return std::nullopt;
  return engine::WindowEncoder(checkpoint.config.config, checkpoint.weights);
}

}  // namespace

/// The weights, and what computes with them.
struct LoadedModel::Computing {
  io::Checkpoint checkpoint;
  engine::Engine engine;
};

LoadedModel::LoadedModel(Computing computing, text::Tokenizer tokenizer, Precision asked)
    : checkpoint_(std::move(computing.checkpoint)),
      tokenizer_(std::move(tokenizer)),
      engine_(std::move(computing.engine)),
      window_encoder_(window_encoder_of(checkpoint_)),
      sentence_(checkpoint_.sentence, tokenizer_),
      rerank_activation_(read_rerank_activation(checkpoint_)),
      asked_(asked) {}

/// By what was packed before, if it is of use.
std::optional<LoadedModel::Computing> LoadedModel::prepared_before(const io::Checkpoint& settings, PackedCache& cache,
                                                                   engine::EngineOptions options) {
  options.packed = cache.find(options.precision, options.threads);
  if (!options.packed) return std::nullopt;
  try {
    auto checkpoint = io::load_weights(settings, options.threads, io::Numbers::known_to_be_finite);
    engine::Engine engine(checkpoint.config.config, checkpoint.weights, options);
    if (cache.is_current()) return Computing{std::move(checkpoint), std::move(engine)};
    cache.reject("of other weights");
  } catch (const engine::PackedWeightsMismatch& other) {
    cache.reject(other.what());
  }
  return std::nullopt;
}

LoadedModel::Computing LoadedModel::prepared(io::Checkpoint settings, PackedCache* cache,
                                             const engine::EngineOptions& options) {
  if (cache != nullptr) {
    if (auto before = prepared_before(settings, *cache, options)) return *std::move(before);
  }
  auto checkpoint = io::load_weights(std::move(settings), options.threads);
  engine::Engine engine(checkpoint.config.config, checkpoint.weights, options);
  return {std::move(checkpoint), std::move(engine)};
}

LoadedModel LoadedModel::load(std::string_view name, const LoadOptions& options) {
  if (options.threads < 0) {
    throw UsageError("engine", fmt::format("threads: expected at least 0, got {}", options.threads));
  }
  const int threads = options.threads == 0 ? available_threads() : options.threads;
  const auto directory = io::resolve_model(name);
  auto settings = io::load_settings(directory);
  std::optional<PackedCache> cache;
  if (options.cache) {
    cache.emplace(*options.cache, settings.transformer_directory);
    settings = io::load_settings(directory);  // once more: as the cache has seen the files, or they are others later
  }
  const bool lowercase = settings.sentence.do_lower_case.value_or(false);
  const auto casing = lowercase ? text::Casing::lowercase : text::Casing::as_written;
  // Concurrently with the weights, as it takes about as long.
  auto loading = std::async(
      threads > 1 ? std::launch::async : std::launch::deferred,
      [directory = settings.transformer_directory, casing] { return text::Tokenizer::load(directory, casing); });
  const auto precision = chosen(options.precision, settings.config.config.weight_format);
  auto computing =
      prepared(std::move(settings), cache ? &*cache : nullptr, {.threads = threads, .precision = precision});
  auto tokenizer = loading.get();
  if (cache) cache->keep(computing.engine.packed(), precision, threads);
  LoadedModel model(std::move(computing), std::move(tokenizer), options.precision);
  if (cache) model.cache_notice_ = cache->notice();
  return model;
}

Precision LoadedModel::precision() const {
  return public_name(engine_.precision());
}

Precision LoadedModel::attention_precision() const {
  return public_name(engine_.attention_precision());
}

std::string LoadedModel::precision_description() const {
  return engine::describe(engine_.precision(), engine_.attention_precision());
}

std::optional<std::string> LoadedModel::precision_notice() const {
  const auto machine = engine_.kernel_set().name;
  if (asked_ == Precision::automatic) {
    return fmt::format("precision: {}, chosen for this machine ({})", precision_description(), machine);
  }
  const bool int8_by_default = asked_ == Precision::of_checkpoint && model::is_in_8_bits(config().weight_format);
  const auto usual = engine::attention_precision(engine_.precision(), engine_.kernel_set());
  if (!int8_by_default && engine_.attention_precision() != usual) {
    return fmt::format("precision: {}, as what this model does inside attention needs it", precision_description());
  }
  if (!int8_by_default) return std::nullopt;
  if (precision() == Precision::int8) {
    return fmt::format("precision: {}, as the checkpoint is in 8 bits; fp32 has to be asked for",
                       precision_description());
  }
  return fmt::format("precision: fp32, as this machine ({}) has no native products in 8 bits for the checkpoint's",
                     machine);
}

std::vector<std::string> LoadedModel::notices() const {
  auto notices = checkpoint_.notices;
  if (auto notice = precision_notice()) notices.push_back(std::move(*notice));
  if (cache_notice_) notices.push_back(*cache_notice_);
  std::ranges::copy(tokenizer_.notices(), std::back_inserter(notices));
  return notices;
}

size_t LoadedModel::sentence_limit() const {
  const auto& own = checkpoint_.sentence.max_seq_length;
  const size_t wanted = own ? *own : tokenizer_.model_max_length().value_or(position_limit());
  return std::min(wanted, position_limit());
}

uint64_t LoadedModel::fingerprint() const {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (const auto& entry : fs::recursive_directory_iterator(checkpoint_.directory, unreadable)) {
    if (is_of_checkpoint(entry.path()) && entry.is_regular_file(unreadable)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  Hash hash;
  for (const auto& file : files) {
    hash.add(file.lexically_relative(checkpoint_.directory).string());
    const auto size = fs::file_size(file, unreadable);
    if (!unreadable && !is_weights(file) && size <= kMostHashed) {
      hash.add(read_file(file, kMostHashed));
      continue;
    }
    hash.add_number(size);
    hash.add_number(static_cast<uint64_t>(fs::last_write_time(file, unreadable).time_since_epoch().count()));
  }
  return hash.value();
}

text::EncodeOptions LoadedModel::encode_options(const LengthOptions& options, size_t limit) const {
  if (options.max_length) check_max_length(*options.max_length);
  return {.truncation = options.truncation.value_or(text::Truncation::longest_first),
          .max_length = options.max_length.value_or(limit)};
}

text::Encoding LoadedModel::encode(const TextView& text, const LengthOptions& options, size_t limit) const {
  auto encoding = text::encode(tokenizer_, text, encode_options(options, limit));
  check_ids(encoding);
  return encoding;
}

void LoadedModel::encode_into(const TextView& text, const text::EncodeOptions& options,
                              text::Tokenizer::Workspace& workspace, text::Encoding& encoding) const {
  text::encode_into(tokenizer_, text, options, workspace, encoding);
  check_ids(encoding);
}

size_t LoadedModel::most_windows(WindowPooling pooling) const {
  if (pooling != WindowPooling::transformer || !window_encoder_) return std::numeric_limits<size_t>::max();
  return static_cast<size_t>(config().window_encoder->most_windows);
}

text::DividedText LoadedModel::divide(const TextView& text, const text::WindowLimits& limits) const {
  check_max_length(limits.max_length);
  return text::divide(tokenizer_, text, limits);
}

void LoadedModel::check_max_length(size_t max_length) const {
  if (max_length <= position_limit()) return;
  throw UsageError("max-length", fmt::format("expected at most {}, the positions that the model has, got {}",
                                             position_limit(), max_length));
}

/// A tokenizer may have more entries than the model has rows; only a text that uses one of them cannot be run.
void LoadedModel::check_ids(const text::Encoding& encoding) const {
  for (const auto id : encoding.ids) {
    if (id < config().vocab_size) continue;
    throw TextError("tokenizer", fmt::format("token '{}' has id {}, expected an id below vocab_size ({})",
                                             printable(tokenizer_.token(id)), id, config().vocab_size));
  }
}

}  // namespace summand::api
