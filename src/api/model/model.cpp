#include "summand/model.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/batches/batch_taps.hpp"
#include "api/batches/record_batches.hpp"
#include "api/embedding/embed_to_callback.hpp"
#include "api/embedding/embedder.hpp"
#include "api/heads/answer.hpp"
#include "api/heads/classify.hpp"
#include "api/heads/fill_mask.hpp"
#include "api/heads/next_sentence.hpp"
#include "api/heads/require_head.hpp"
#include "api/heads/rerank.hpp"
#include "api/heads/score.hpp"
#include "api/heads/tag.hpp"
#include "api/heads/trained_reading.hpp"
#include "api/inspection/hidden_states.hpp"
#include "api/inspection/verify.hpp"
#include "api/model/loaded_model.hpp"
#include "api/options/validate_options.hpp"
#include "api/tokenizing/encode_texts.hpp"

namespace summand {

namespace {

std::vector<std::string> labels_of(const api::LoadedModel& model) {
  const auto& parts = model.checkpoint().parts;
  if (!parts.has(Head::sequence_classification) && !parts.has(Head::token_classification)) return {};
  return model.config().labels.names;
}

/// Reads the texts in batches and puts together what `run` gives for each of them.
template <class Result>
ReadCount in_batches(const api::LoadedModel& model, Head head, const TextList& texts,
                     const api::ReadingOptions& reading, std::vector<Result>& results, const auto& run) {
  api::require_head(model, head);  // with no texts as well
  api::RecordBatches batches(model, texts, reading);
  ReadCount count;
  while (auto batch = batches.next()) {
    std::ranges::move(run(*batch), std::back_inserter(results));
    count.add(batch->count);
  }
  return count;
}

/// The options, with what they leave open as training read its texts.
template <class Options>
Options with_reading(const api::LoadedModel& model, Head head, Options options) {
  const Reading reading = api::reading_for(model, head, {.length = options.length, .windows = options.windows});
  options.length = reading.length;
  options.windows = reading.windows;
  return options;
}

/// 0 if no sentence vector can be made: Model::embed then says why.
size_t sentence_width(const api::LoadedModel& model) {
  try {
    return api::Embedder(model, {}).width();
  } catch (const Error&) {
    return 0;
  }
}

ModelInfo info_of(const api::LoadedModel& model) {
  const auto& config = model.config();
  const auto size = [](int64_t number) { return static_cast<size_t>(number); };
  return {.directory = model.checkpoint().directory,
          .layers = size(config.num_hidden_layers),
          .hidden_size = size(config.hidden_size),
          .attention_heads = size(config.num_attention_heads),
          .intermediate_size = size(config.intermediate_size),
          .vocabulary_size = size(config.vocab_size),
          .segments = size(config.type_vocab_size),
          .position_limit = model.position_limit(),
          .sentence_limit = model.sentence_limit(),
          .heads = model.checkpoint().parts.heads,
          .labels = labels_of(model),
          .reading = config.reading,
          .most_windows = model.window_encoder() ? size(config.window_encoder->most_windows) : 0,
          .precision = model.precision(),
          .attention_precision = model.attention_precision(),
          .has_pooler = model.engine().has_pooler(),
          .has_sentence_modules = model.checkpoint().sentence.from_directory,
          .sentence_width = sentence_width(model),
          .prompts = model.checkpoint().sentence.prompts,
          .default_prompt_name = model.checkpoint().sentence.default_prompt_name,
          .similarity = model.checkpoint().sentence.similarity};
}

}  // namespace

struct Model::State {
  explicit State(api::LoadedModel loaded) : model(std::move(loaded)), info(info_of(model)), notices(model.notices()) {}

  api::LoadedModel model;
  ModelInfo info;
  std::vector<std::string> notices;
};

Model Model::load(const std::filesystem::path& name, const LoadOptions& options) {
  api::validate(options.precision);
  return Model(std::make_unique<const State>(api::LoadedModel::load(name.string(), options)));
}

Model::Model(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const ModelInfo& Model::info() const {
  return state_->info;
}

std::span<const std::string> Model::notices() const {
  return state_->notices;
}

void Model::prepare(Head head) const {
  api::validate(head);
  api::require_head(state_->model, head);
  state_->model.engine().prepare(head);
}

void Model::release_memory() const {
  state_->model.engine().release_workspaces();
  state_->model.tokenizer().release_workspaces();
}

Embeddings Model::embed(const TextList& texts, const EmbedOptions& options) const {
  api::validate(options);
  api::require_runnable(state_->model, options.taps);
  return api::Embedder(state_->model, options).embed(texts);
}

StreamReport Model::embed_stream(const NextText& next, const TakeEmbeddings& take, const EmbedOptions& options,
                                 const StreamOptions& stream) const {
  api::validate(options);
  api::require_runnable(state_->model, options.taps);
  return api::embed_to_callback(api::Embedder(state_->model, options), next, take, stream);
}

HiddenStates Model::hidden(const TextList& texts, const HiddenOptions& options) const {
  api::validate(options);
  api::require_runnable(state_->model, options.taps);
  return api::hidden_states(state_->model, texts, options);
}

FilledTexts Model::fill_mask(const TextList& texts, const FillMaskOptions& options) const {
  api::validate(options);
  api::require_runnable(state_->model, options.taps);
  const auto& model = state_->model;
  const auto run = [&](api::RecordBatch& batch) { return api::fill_masks(model, batch, options); };
  FilledTexts filled;
  filled.count = in_batches(model, Head::masked_language, texts, {.length = options.length}, filled.texts, run);
  return filled;
}

NextSentences Model::next_sentence(const TextList& pairs, const LengthOptions& length, const Taps& taps,
                                   RepeatedTexts repeated) const {
  api::validate(length);
  api::validate(taps);
  api::validate(repeated);
  api::require_runnable(state_->model, taps);
  const auto& model = state_->model;
  auto logits = api::next_sentence_logits(model, taps, repeated);
  const auto run = [&](api::RecordBatch& batch) { return api::next_sentences(logits, batch); };
  NextSentences sentences;
  sentences.count = in_batches(model, Head::next_sentence, pairs, {.length = length}, sentences.pairs, run);
  return sentences;
}

ClassifiedTexts Model::classify(const TextList& texts, const ClassifyOptions& given) const {
  api::validate(given);
  api::require_runnable(state_->model, given.taps);
  const auto& model = state_->model;
  const ClassifyOptions options = with_reading(model, Head::sequence_classification, given);
  auto logits = api::logits_for(model, options);
  const auto run = [&](api::RecordBatch& batch) { return api::classify(model, logits, batch, options); };
  ClassifiedTexts classified;
  const api::ReadingOptions reading{.length = options.length, .windows = options.windows};
  classified.count = in_batches(model, Head::sequence_classification, texts, reading, classified.texts, run);
  return classified;
}

ScoredTexts Model::score(const TextList& texts, const ScoreOptions& options) const {
  api::validate(options);
  api::require_runnable(state_->model, options.taps);
  return api::score(state_->model, texts, with_reading(state_->model, Head::sequence_classification, options));
}

Ranking Model::rerank(const std::string& query, const TextList& passages, const RerankOptions& options) const {
  api::validate(options);
  api::require_runnable(state_->model, options.taps);
  return api::rerank(state_->model, query, passages,
                     with_reading(state_->model, Head::sequence_classification, options));
}

TaggedTexts Model::tag(const TextList& texts, const TagOptions& given) const {
  api::validate(given);
  api::require_runnable(state_->model, given.taps);
  const auto& model = state_->model;
  const TagOptions options = with_reading(model, Head::token_classification, given);
  const auto run = [&](api::RecordBatch& batch) { return api::tag(model, batch, options); };
  const api::ReadingOptions reading{
      .length = options.length, .windows = options.windows, .encodings = api::KeepEncodings::of_divided_too};
  TaggedTexts tagged;
  tagged.count = in_batches(model, Head::token_classification, texts, reading, tagged.texts, run);
  return tagged;
}

AnsweredQuestions Model::answer(const TextList& pairs, const AnswerOptions& options) const {
  api::validate(options);
  api::require_runnable(state_->model, options.taps);
  const auto& model = state_->model;
  const auto run = [&](api::RecordBatch& batch) { return api::answer(model, batch, options); };
  AnsweredQuestions answered;
  answered.count =
      in_batches(model, Head::question_answering, pairs, api::reading_for(model, options), answered.questions, run);
  return answered;
}

VerifyReport Model::verify(const TextList& texts, const LengthOptions& length) const {
  api::validate(length);
  return api::verify(state_->model, texts, length);
}

Encoding Model::tokenize(const TextView& text, const TokenizeOptions& options) const {
  api::validate(options);
  return text::encode(state_->model.tokenizer(), text, options);
}

std::vector<Encoding> Model::tokenize_all(const TextList& texts, const TokenizeOptions& options) const {
  api::validate(options);
  return api::encode_all(state_->model.tokenizer(), {texts.begin(), texts.end()}, options,
                         state_->model.engine().threads());
}

std::string_view Model::token(int32_t id) const {
  return state_->model.tokenizer().token(id);
}

std::optional<int32_t> Model::token_id(std::string_view token) const {
  return state_->model.tokenizer().id(token);
}

std::string Model::decode(std::span<const int32_t> ids, SpecialTokens special_tokens) const {
  api::validate(special_tokens);
  return state_->model.tokenizer().decode(ids, special_tokens);
}

}  // namespace summand
