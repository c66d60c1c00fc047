#include "train/pretrain/pretrain.hpp"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "io/checkpoint.hpp"
#include "io/resolve_model.hpp"
#include "train/data/document_reader.hpp"
#include "train/data/validation_batches.hpp"
#include "train/pretrain/pretraining_task.hpp"
#include "train/pretrain/token_folder.hpp"
#include "train/run/about_program.hpp"
#include "train/run/initial_model.hpp"
#include "train/run/run_description.hpp"
#include "train/run/text_sources.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

model::ModelParts parts_for(Pairs pairs) {
  if (pairs == Pairs::none) return {.heads = {model::Head::masked_language}};
  return {.pooler = model::Pooler::present, .heads = {model::Head::masked_language, model::Head::next_sentence}};
}

/// A config.json whose vocab_size may be left to the tokenizer.
model::Config config_from(const std::string& path, size_t vocabulary) {
  std::string text = read_json_text(path);
  (void)parse_json(text, path);  // refuses nesting that is too deep to write
  auto json = OrderedJson::parse(text);
  if (json.is_object() && !json.contains("vocab_size")) {
    json["vocab_size"] = vocabulary;
    text = json.dump();
  }
  const auto parsed = model::parse_config(text, path);
  model::require_all_read(parsed);
  return parsed.config;
}

/// A checkpoint's rows mean its own tokens. @throws ConfigError naming the first id that is another one
void require_same_tokens(const text::Tokenizer& own, const text::Tokenizer& given, const std::string& where) {
  for (size_t i = 0; i < std::max(own.vocabulary_size(), given.vocabulary_size()); ++i) {
    const auto id = static_cast<int32_t>(i);
    if (own.token(id) == given.token(id)) continue;
    throw ConfigError(
        where, fmt::format("expected the tokenizer of the checkpoint, whose id {} is '{}', got one where it is '{}'",
                           id, printable(own.token(id)), printable(given.token(id))));
  }
}

/// A checkpoint's own tokenizer where none is named; else a folder, or that of a model's name.
fs::path tokenizer_folder(const PretrainRequest& request, const std::optional<io::Checkpoint>& init) {
  if (request.tokenizer.empty()) return init.value().transformer_directory;
  return fs::exists(request.tokenizer) ? request.tokenizer : io::resolve_model(request.tokenizer.string());
}

InitialModel load_initial_model(const PretrainRequest& request, const std::optional<io::Checkpoint>& init,
                                const text::Tokenizer& tokenizer) {
  const size_t vocabulary = tokenizer.vocabulary_size();
  InitialModel initial;
  initial.parts = parts_for(request.options.pairs);
  std::string where = request.config;
  if (!init) {
    initial.config = config_from(request.config, vocabulary);
  } else {
    const io::Checkpoint& checkpoint = *init;
    initial.config = checkpoint.config.config;
    initial.notices = checkpoint.notices;
    if (const auto left = parts_beyond(checkpoint.parts, initial.parts); !left.empty()) {
      initial.notices.push_back(fmt::format("{}: left out, for --pairs is {}: its {}", request.init,
                                            model::name_of(request.options.pairs), left));
    }
    if (const auto drawn = parts_beyond(initial.parts, checkpoint.parts); !drawn.empty()) {
      initial.notices.push_back(fmt::format("{}: has no {}: drawn by --seed", request.init, drawn));
    }
    initial.config.weight_format = model::WeightFormat::floating;
    initial.parts.decoder = checkpoint.parts.decoder;
    require_same_tokens(text::Tokenizer::load(checkpoint.transformer_directory), tokenizer, request.init);
    initial.weights = checkpoint.weights;
    initial.init_hash = hash_of_weights(checkpoint.weights);
    enlarge(initial.config, initial.weights, request.enlargement);
    where = request.init;
  }
  model::Config& config = initial.config;
  check_trainable(config, where);
  config.architectures = {request.options.pairs == Pairs::none ? "BertForMaskedLM" : "BertForPreTraining"};
  config.labels = {};
  config.problem_type = model::ProblemType::unspecified;
  config.forget_reading();
  if (!config.tie_word_embeddings) initial.parts.decoder = model::Decoder::own;
  if (static_cast<size_t>(config.vocab_size) < vocabulary) {
    throw ConfigError(
        where, fmt::format("vocab_size: expected at least the tokenizer's {}, got {}", vocabulary, config.vocab_size));
  }
  const bool tells_two = request.options.segments == Segments::parity ||
                         (request.options.segments == Segments::pair && request.options.pairs != Pairs::none);
  if (tells_two && config.type_vocab_size < 2) {
    throw ConfigError(where, fmt::format("type_vocab_size: expected at least 2 for --segments {}, got {}",
                                         model::name_of(request.options.segments), config.type_vocab_size));
  }
  set_first_values(initial, request.options.start, request.options.seed, where);
  return initial;
}

/// The inputs of a run, by hashes.
struct Data {
  TextSource train, valid;
  std::string tokenizer;

  /// Tokens of these texts by all of the tokenizer's files.
  [[nodiscard]] std::string source_name(const TextSource& texts) const { return texts.hash + "-" + tokenizer; }
};

/// Every process computes a sequence of each batch, or more.
void require_enough_sequences(const PretrainOptions& options, const Ranks& ranks) {
  size_t longest = 0;
  for (const Phase& phase : options.phases) longest = std::max(longest, phase.length);
  const size_t least = longest * static_cast<size_t>(ranks.size());
  if (ranks.is_alone() || options.batch_tokens >= least) return;
  throw UsageError("--batch-tokens",
                   fmt::format("expected at least {}, a sequence of {} tokens for each of {} processes, got {}", least,
                               longest, ranks.size(), options.batch_tokens));
}

std::string describe_run(const PretrainRequest& request, const InitialModel& initial, const Data& data,
                         const AboutProgram& about) {
  OrderedJson json;
  json["options"] = OrderedJson::parse(to_json(request.options));
  json["data"] = {{"train", data.train.hash}, {"valid", data.valid.hash}, {"tokenizer", data.tokenizer}};
  json["model"] = {{"config", OrderedJson::parse(model::to_json(initial.config))}};
  if (!request.init.empty()) {
    json["model"]["init"] = initial.init_hash;
    const Enlargement& larger = request.enlargement;
    if (larger.positions || larger.segments) {
      json["model"]["new_rows"] = model::name_of(larger.rows);
    }
  }
  json["about"] = about_program(about);
  json["about"]["texts"] = request.texts;
  json["about"]["valid"] = request.valid;
  json["about"]["tokenizer"] = request.tokenizer.string();
  return json.dump();
}

/// Pairs make no sense if the continuation of a text is another document's, or missing.
void look_at_pairs(const TokenFile& file, Pairs pairs, const std::string& texts, const TellRun& tell) {
  if (pairs != Pairs::next_sentence) return;
  if (file.documents() < 2) {
    throw UsageError("--pairs", fmt::format("expected two documents or more for next_sentence, got {} in {}: what does "
                                            "not follow a text is taken of another",
                                            file.documents(), texts));
  }
  uint64_t single = 0;
  for (uint64_t i = 0; i < file.documents(); ++i) single += file.document(i).size() == 1 ? 1 : 0;
  constexpr double kMany = 0.2;
  const double share = static_cast<double>(single) / static_cast<double>(file.documents());
  if (share < kMany) return;
  tell({.kind = RunNews::Kind::notice,
        .text = fmt::format("{}: {:.0f} % of {} documents have one sentence alone, and make pairs that do not follow "
                            "one another; a line is a sentence, a blank line ends a document",
                            texts, 100 * share, file.documents())});
}

}  // namespace

RunReport pretrain(const PretrainRequest& asked, Ranks& ranks, const TellRun& tell) {
  PretrainRequest request = asked;
  const int threads = request.threads > 0 ? request.threads : ranks.default_threads();
  at::set_num_threads(threads);
  if (request.cuda && !at::hasCUDA()) {
    throw UsageError("--device", "expected a machine and a libtorch with CUDA for 'cuda', got neither or one of them");
  }
  std::optional<io::Checkpoint> init;
  if (!request.init.empty()) init = io::load_checkpoint(io::resolve_model(request.init), threads);
  request.tokenizer = tokenizer_folder(request, init);
  const auto tokenizer = text::Tokenizer::load(request.tokenizer);
  InitialModel initial = load_initial_model(request, init, tokenizer);
  init.reset();
  const auto positions = static_cast<size_t>(initial.config.max_position_embeddings);
  const bool shorter = request.length_is_default && positions < request.options.phases.front().length;
  if (shorter) request.options.phases = {Phase{.length = positions}};
  if (const std::string fault = validation_error(request.options, positions); !fault.empty()) {
    const size_t colon = fault.find(": ");
    throw UsageError(fault.substr(0, colon), fault.substr(colon + 2));
  }
  require_enough_sequences(request.options, ranks);
  const SpecialIds ids = SpecialIds::of(tokenizer);
  TokenizerContents contents = tokenizer_contents(request.tokenizer, positions);
  // Names that say nothing, and files that cannot be read, before anything is made.
  (void)DocumentReader(request.texts, request.fields);
  (void)DocumentReader(request.valid, request.fields);
  if (!request.fields.are_usual() && !have_fields(request.texts) && !have_fields(request.valid)) {
    throw UsageError("--field", "expected files that have fields, .jsonl, .csv or .tsv, got lines alone");
  }
  const Data data{.train = text_source(request.texts, request.fields, request.tokenizer),
                  .valid = text_source(request.valid, request.fields, request.tokenizer),
                  .tokenizer = tokenizer_hash(request.tokenizer, tokenizer.class_name())};
  const std::string description =
      describe_run(request, initial, data,
                   {.command = request.command, .threads = threads, .processes = ranks.size(), .cuda = request.cuda});
  require_same_run(description, ranks);
  std::optional<RunFolder> folder;
  if (ranks.is_first()) folder.emplace(request.out, description, request.resume);
  const auto notice = [&](const std::string& text) { tell({.kind = RunNews::Kind::notice, .text = text}); };
  if (const auto& difference = tokenizer.difference()) notice(*difference);
  if (shorter) notice(fmt::format("--length: not given, so it is the {} positions that the model has", positions));
  std::ranges::for_each(initial.notices, notice);
  if (folder) std::ranges::for_each(folder->changes(), notice);
  std::ranges::for_each(repeated_files(data.train, data.valid), notice);
  const fs::path tokens = request.tokens.empty() ? request.out / "tokens" : request.tokens;
  const auto kept = [&](const std::vector<std::string>& texts, const TextSource& source) {
    return ranks.first_then_others([&] {
      return open_tokens({texts, request.fields, tokenizer, tokens, data.source_name(source), threads}, tell);
    });
  };
  const TokenFile train = kept(request.texts, data.train);
  const TokenFile valid = kept(request.valid, data.valid);
  look_at_pairs(train, request.options.pairs, name_of_files(request.texts), tell);
  look_at_pairs(valid, request.options.pairs, name_of_files(request.valid), tell);
  const PretrainOptions& options = request.options;
  if (const auto warmup = warmup_notice(options.learning)) notice(*warmup);
  auto saved = folder ? folder->last() : std::nullopt;
  const auto local_rank = static_cast<c10::DeviceIndex>(ranks.local_rank());
  Network network(
      initial.config, initial.parts, saved ? saved->weights : initial.weights,
      {.type = at::kFloat, .device = request.cuda ? at::Device(at::kCUDA, local_rank) : at::Device(at::kCPU)});
  initial.weights = {};
  PretrainingTask task(
      network.config(), train, ids, options,
      validation_batches(valid, ids, validation_rules(options), options.batch_tokens, options.valid_sequences));
  Learner learner(network, task, options.learning);
  learner.share_steps(ranks);
  if (!folder) {
    follow_run(learner);
    return {};
  }
  const RunPlan plan{.log_every = request.log_every,
                     .validate_every = options.validate_every,
                     .checkpoint_every = request.checkpoint_every,
                     .patience = options.patience,
                     .keep = request.keep};
  return run_learner(learner, *folder, saved, plan, contents, tell);
}

}  // namespace summand::train
