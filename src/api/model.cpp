#include "summand/model.hpp"

#include <utility>

#include "api/embedder.hpp"
#include "api/hidden_states.hpp"
#include "api/loaded_model.hpp"
#include "api/tokenizing.hpp"

namespace summand {

namespace {

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
          .has_pooler = model.engine().has_pooler(),
          .has_sentence_modules = model.checkpoint().sentence.from_directory};
}

}  // namespace

struct Model::State {
  explicit State(api::LoadedModel loaded) : model(std::move(loaded)), info(info_of(model)), notices(model.notices()) {}

  api::LoadedModel model;
  ModelInfo info;
  std::vector<std::string> notices;
};

Model Model::load(const std::filesystem::path& name, const LoadOptions& options) {
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

Embeddings Model::embed(std::span<const Text> texts, const EmbedOptions& options) const {
  return api::Embedder(state_->model, options).embed(texts);
}

HiddenStates Model::hidden(std::span<const Text> texts, const HiddenOptions& options) const {
  return api::hidden_states(state_->model, texts, options);
}

Encoding Model::tokenize(const Text& text, const TokenizeOptions& options) const {
  return api::encode(state_->model.tokenizer(), text, options);
}

std::string_view Model::token(int32_t id) const {
  return state_->model.tokenizer().token(id);
}

std::optional<int32_t> Model::token_id(std::string_view token) const {
  return state_->model.tokenizer().id(token);
}

std::string Model::decode(std::span<const int32_t> ids, SpecialTokens special_tokens) const {
  return state_->model.tokenizer().decode(ids, special_tokens);
}

}  // namespace summand
