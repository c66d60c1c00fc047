#include "io/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "base/thread_pool.hpp"
#include "io/head_tensors.hpp"
#include "io/int8_weight.hpp"
#include "io/module_list.hpp"
#include "io/non_finite.hpp"
#include "io/sentence_transformers.hpp"
#include "io/weight_files.hpp"
#include "model/quantization.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

void require_directory(const fs::path& directory) {
  std::error_code failed;
  const fs::file_status status = fs::status(directory, failed);
  if (status.type() == fs::file_type::directory) return;
  if (fs::exists(status)) throw CheckpointError(path_text(directory), "expected a checkpoint directory, got a file");
  throw IoError(path_text(directory), fmt::format("cannot be read: {}", errno_text(failed.value())));
}

/// Whether this folder looks like a checkpoint: a module's folder has a config.json too, but no tokenizer.
bool looks_like_a_checkpoint(const fs::path& directory) {
  std::error_code unknown;
  const auto has = [&](const char* name) { return fs::exists(directory / name, unknown); };
  return has("config.json") && (has("tokenizer.json") || has("vocab.txt") || has("modules.json"));
}

/// Checkpoints one folder deeper: the hub's cache keeps a model's files in snapshots/REVISION.
std::vector<std::string> checkpoints_below(const fs::path& directory) {
  constexpr size_t kMostLooked = 1000;
  std::vector<std::string> found;
  size_t looked = 0;
  for (const fs::path& folder : {directory / "snapshots", directory}) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      if (++looked > kMostLooked) break;
      if (looks_like_a_checkpoint(entry.path())) found.push_back(path_text(entry.path()));
    }
  }
  std::ranges::sort(found);
  return found;
}

[[noreturn]] void refuse_without_config(const fs::path& directory) {
  constexpr size_t kMostNamed = 3;
  auto below = checkpoints_below(directory);
  const bool more = below.size() > kMostNamed;
  if (more) below.resize(kMostNamed);
  const std::string hint = below.empty() ? ""
                                         : fmt::format("; one lies in {}{}", fmt::join(below, ", and one in "),
                                                       more ? ", and in others" : "");
  throw CheckpointError(path_text(directory), "expected a config.json, got none" + hint);
}

model::ParsedConfig read_config(const fs::path& directory) {
  const fs::path path = directory / "config.json";
  if (!is_there(path)) refuse_without_config(directory);
  return model::parse_config(read_json_text(path), path_text(path));
}

/// Every layer has tensors of its own, so a file bounds the number of layers, and with it the contract's size.
void check_layers(const model::Config& config, const WeightFiles& files) {
  const size_t most = files.tensors.size();
  if (static_cast<size_t>(config.num_hidden_layers) <= most) return;
  throw CheckpointError(path_text(files.path),
                        fmt::format("num_hidden_layers: expected at most {}, the number of tensors in the file, got {}",
                                    most, config.num_hidden_layers));
}

bool is_int8(const model::Parameter& parameter, const model::Config& config) {
  return model::is_in_8_bits(config.weight_format) && model::is_dense_weight(parameter);
}

bool has_factors(const model::Config& config) {
  return config.weight_format == model::WeightFormat::summand_int8_calibrated;
}

/// The tensors that a file must have: the parameters, and the scales of those in 8 bits, and their factors.
std::vector<std::string> tensor_names(const std::vector<model::Parameter>& contract, const model::Config& config) {
  std::vector<std::string> names;
  for (const auto& parameter : contract) {
    names.push_back(parameter.name);
    if (!is_int8(parameter, config)) continue;
    names.push_back(model::scale_name(parameter.name));
    if (has_factors(config)) names.push_back(model::factor_name(parameter.name));
  }
  return names;
}

void check_complete(const std::vector<std::string>& names, const WeightFiles& files) {
  std::vector<std::string> missing;
  std::ranges::copy_if(names, std::back_inserter(missing),
                       [&](const std::string& name) { return !files.tensors.contains(name); });
  if (missing.empty()) return;
  if (missing.size() == names.size()) {
    std::vector<std::string> there;
    for (const auto& [name, stored] : files.tensors) there.push_back(stored.stored_name);
    throw CheckpointError(path_text(files.path),
                          fmt::format("expected a BERT's parameters, as '{}', got none of them; the file has {}",
                                      names.front(), there.empty() ? "no tensors" : quoted_list(there)));
  }
  throw CheckpointError(path_text(files.path), fmt::format("expected {} parameters, missing {}: {}", names.size(),
                                                           missing.size(), quoted_list(missing)));
}

model::Tensor elements_of(const model::Tensor& tensor, size_t first, size_t count) {
  const size_t width = model::size_of(tensor.dtype);
  return {tensor.dtype, {count}, tensor.bytes.subspan(first * width, count * width), tensor.source};
}

/// Of a large tensor one piece after the other is in memory.
std::optional<size_t> first_non_finite_in_pieces(const model::Tensor& tensor) {
  constexpr size_t kPiece = size_t{2} << 20U;
  for (size_t begin = 0; begin < tensor.elements(); begin += kPiece) {
    const model::Tensor piece = elements_of(tensor, begin, std::min(kPiece, tensor.elements() - begin));
    model::bring_in(piece);
    const auto index = first_non_finite(piece);
    model::give_back(piece);
    if (index) return begin + *index;
  }
  return std::nullopt;
}

void check_parameter(const model::Parameter& parameter, const StoredTensor& stored, Numbers numbers) {
  const auto fail = [&](const std::string& message) {
    throw CheckpointError(path_text(stored.file), fmt::format("'{}': {}", printable(stored.stored_name), message));
  };
  const std::string got = stored.unsupported.empty() ? model::describe(stored.tensor) : stored.unsupported;
  if (!stored.unsupported.empty() || !is_floating(stored.tensor.dtype) || stored.tensor.shape != parameter.shape) {
    fail(fmt::format("expected F32, F16 or BF16 {}, got {}", model::describe(std::span<const size_t>(parameter.shape)),
                     got));
  }
  if (numbers == Numbers::known_to_be_finite) return;
  if (const auto index = first_non_finite_in_pieces(stored.tensor)) {
    const float number = model::to_floats(elements_of(stored.tensor, *index, 1))[0];
    fail(fmt::format("expected finite numbers, got {} at element {}", number, *index));
  }
}

/// Hugging Face once saved the positions 0 … n-1 as a tensor; they say nothing and are never mentioned.
bool is_position_ids(std::string_view name, const StoredTensor& stored) {
  if (name != "embeddings.position_ids" || stored.tensor.dtype != model::DType::i64) return false;
  const auto ids = model::to_doubles(stored.tensor);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != static_cast<double>(i)) return false;
  }
  return !ids.empty();
}

std::optional<std::string> surplus_notice(const std::vector<std::string>& names, const WeightFiles& files) {
  const std::set<std::string_view> known(names.begin(), names.end());
  std::vector<std::string> surplus;
  for (const auto& [name, stored] : files.tensors) {
    if (!known.contains(name) && !is_position_ids(name, stored)) surplus.push_back(stored.stored_name);
  }
  if (surplus.empty()) return std::nullopt;
  return fmt::format("{}: {} not part of the model and left out: {}", path_text(files.path),
                     surplus.size() == 1 ? "1 tensor is" : fmt::format("{} tensors are", surplus.size()),
                     quoted_list(surplus));
}

model::Tensor checked(const model::Parameter& parameter, const model::Config& config, const WeightFiles& files,
                      Numbers numbers) {
  if (is_int8(parameter, config)) return int8_weight(parameter, config.weight_format, files);
  const StoredTensor& stored = files.tensors.find(parameter.name)->second;
  check_parameter(parameter, stored, numbers);
  return stored.tensor;
}

/// Checks all. Throws the error of the first that does not fit, independent of threads.
std::vector<model::Tensor> all_checked(const std::vector<model::Parameter>& contract, const model::Config& config,
                                       const WeightFiles& files, int threads, Numbers numbers) {
  std::vector<model::Tensor> tensors(contract.size());
  std::vector<std::exception_ptr> failures(contract.size());
  ThreadPool::shared().run(contract.size(), threads, [&](size_t index, int) {
    try {
      tensors[index] = checked(contract[index], config, files, numbers);
    } catch (...) {
      failures[index] = std::current_exception();
    }
  });
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return tensors;
}

std::string text_of(const std::exception_ptr& fault) {
  try {
    std::rethrow_exception(fault);
  } catch (const Error& error) {
    return fmt::format("{}: {}", error.where(), error.message());
  }
}

/// Those of a head are said where the head is left out.
void add_faults_of_training(const model::ParsedConfig& parsed, std::vector<std::string>& notices) {
  for (const auto* key : {"architectures", "pad_token_id", "initializer_range", "hidden_dropout_prob",
                          "attention_probs_dropout_prob", "classifier_dropout"}) {
    const auto* fault = parsed.fault_for(key);
    if (fault != nullptr) notices.push_back(fmt::format("{}: {}; it is left out", parsed.where, fault->message));
  }
}

void take_weights(Checkpoint& checkpoint, WeightFiles files, int threads, Numbers numbers) {
  const model::Config& config = checkpoint.config.config;
  check_layers(config, files);
  checkpoint.parts = find_parts(checkpoint.config, files, checkpoint.notices);
  const auto contract = model::parameters(config, checkpoint.parts);
  const auto names = tensor_names(contract, config);
  check_complete(names, files);
  auto tensors = all_checked(contract, config, files, threads, numbers);
  for (size_t index = 0; index < contract.size(); ++index) {
    checkpoint.weights.set(contract[index].name, std::move(tensors[index]));
  }
  if (has_factors(config)) check_shared_factors(config, checkpoint.weights, files.path);
  if (auto notice = surplus_notice(names, files)) checkpoint.notices.push_back(std::move(*notice));
}

}  // namespace

const model::SentenceModules& Checkpoint::sentence_modules() const {
  if (sentence_fault) std::rethrow_exception(sentence_fault);
  return sentence;
}

Checkpoint load_settings(const fs::path& directory) {
  require_directory(directory);
  const ModuleList modules = read_module_list(directory);
  Checkpoint checkpoint;
  checkpoint.directory = directory;
  checkpoint.transformer_directory = modules.transformer_directory();
  if (modules.fault && !is_there(checkpoint.transformer_directory / "config.json")) {
    std::rethrow_exception(modules.fault);  // the list that names the transformer's folder
  }
  checkpoint.config = read_config(checkpoint.transformer_directory);
  LoadedSentenceModules sentence = read_sentence_modules(modules, checkpoint.config.config);
  checkpoint.sentence = std::move(sentence.modules);
  checkpoint.sentence_fault = sentence.fault;
  std::ranges::move(sentence.notices, std::back_inserter(checkpoint.notices));
  add_faults_of_training(checkpoint.config, checkpoint.notices);
  if (sentence.fault) checkpoint.notices.push_back("sentence vectors cannot be made: " + text_of(sentence.fault));
  return checkpoint;
}

Checkpoint load_weights(Checkpoint settings, int threads, Numbers numbers) {
  take_weights(settings, read_weight_files(settings.transformer_directory), threads, numbers);
  return settings;
}

Checkpoint load_checkpoint(const fs::path& directory, int threads) {
  return load_weights(load_settings(directory), threads);
}

}  // namespace summand::io
