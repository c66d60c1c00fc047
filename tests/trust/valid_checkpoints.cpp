#include "trust/valid_checkpoints.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <random>

#include "io/files.hpp"
#include "model/config.hpp"
#include "model/parameters.hpp"
#include "model/quantization.hpp"

namespace summand::trust {

namespace {

using Json = nlohmann::json;
using io::test::RawTensor;

const Json kSizes{{"vocab_size", 12},         {"hidden_size", 8},       {"num_hidden_layers", 2},
                  {"num_attention_heads", 2}, {"intermediate_size", 6}, {"max_position_embeddings", 16},
                  {"type_vocab_size", 2},     {"hidden_act", "gelu"}};
const std::vector<std::string> kTokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello",
                                       "un",    "##aff", "a",     "中",    ",",      "##able"};

Json with(Json base, const Json& more) {
  base.update(more);
  return base;
}

/// How the elements of tensor number `index` are stored.
std::string dtype_of(const std::string& dtypes, size_t index) {
  if (dtypes == "mixed") return std::array{"F16", "BF16", "F32"}[index % 3];
  return dtypes;
}

std::string stored(const std::vector<float>& values, const std::string& dtype) {
  std::string bytes;
  for (const float value : values) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const uint32_t written = dtype == "BF16" ? bits >> 16 : dtype == "F16" ? 0x3000 | (bits >> 13 & 0x3FF) : bits;
    bytes.append(reinterpret_cast<const char*>(&written), dtype == "F32" ? 4 : 2);
  }
  return bytes;
}

std::vector<RawTensor> tensors_of(const Json& config, const model::ModelParts& parts, const std::string& dtypes) {
  std::mt19937 random(3);  // NOLINT: the same weights every time
  std::uniform_real_distribution<float> weight(-0.5F, 0.5F);
  std::vector<RawTensor> tensors;
  for (const auto& parameter : model::parameters(model::parse_config(config.dump(), "tiny").config, parts)) {
    std::vector<float> values(model::elements(parameter));
    for (float& value : values) value = weight(random);
    const std::string dtype = dtype_of(dtypes, tensors.size());
    tensors.push_back({parameter.name, dtype, parameter.shape, stored(values, dtype)});
  }
  return tensors;
}

std::string vocabulary() {
  std::string lines;
  for (const auto& token : kTokens) lines += token + "\n";
  return lines;
}

Json tokenizer_json() {
  Json vocabulary = Json::object();
  for (size_t id = 0; id < kTokens.size(); ++id) vocabulary[kTokens[id]] = id;
  const Json flags{{"single_word", false}, {"lstrip", true}, {"rstrip", false}, {"normalized", false}};
  const auto special = [](const char* name, int segment) {
    return Json{{"SpecialToken", {{"id", name}, {"type_id", segment}}}};
  };
  const auto text = [](const char* name, int segment) {
    return Json{{"Sequence", {{"id", name}, {"type_id", segment}}}};
  };
  const auto ids = [](const char* name, int id) {
    return Json{{"id", name}, {"ids", Json::array({id})}, {"tokens", Json::array({name})}};
  };
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", Json::array({with(flags, {{"id", 4}, {"content", "[MASK]"}, {"special", true}})})},
          {"normalizer",
           {{"type", "BertNormalizer"},
            {"clean_text", true},
            {"handle_chinese_chars", true},
            {"strip_accents", nullptr},
            {"lowercase", true}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"post_processor",
           {{"type", "TemplateProcessing"},
            {"single", Json::array({special("[CLS]", 0), text("A", 0), special("[SEP]", 0)})},
            {"pair", Json::array({special("[CLS]", 0), text("A", 0), special("[SEP]", 0), text("B", 1)})},
            {"special_tokens", {{"[CLS]", ids("[CLS]", 2)}, {"[SEP]", ids("[SEP]", 3)}}}}},
          {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
          {"model",
           {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 100},
            {"vocab", vocabulary}}}};
}

Files whole_model() {
  const Json config = with(kSizes, {{"model_type", "bert"},
                                    {"architectures", {"BertForSequenceClassification"}},
                                    {"layer_norm_eps", 1e-12},
                                    {"pad_token_id", 0},
                                    {"id2label", {{"0", "NEGATIVE"}, {"1", "POSITIVE"}, {"2", "中"}}},
                                    {"label2id", {{"NEGATIVE", 0}, {"POSITIVE", 1}, {"中", 2}}},
                                    {"problem_type", "single_label_classification"}});
  const model::ModelParts parts{
      .pooler = model::Pooler::present,
      .heads = {model::Head::masked_language, model::Head::next_sentence, model::Head::sequence_classification}};
  return {{"config.json", config.dump(2)},
          {"model.safetensors", io::test::safetensors_bytes(tensors_of(config, parts, "F32"))},
          {"tokenizer.json", tokenizer_json().dump()},
          {"tokenizer_config.json", Json{{"model_max_length", 16}, {"do_lower_case", true}}.dump()}};
}

Files several_files() {
  const Json config = with(kSizes, {{"num_labels", 2}, {"hidden_act", "gelu_new"}});
  auto tensors = tensors_of(config, {.pooler = model::Pooler::present}, "mixed");
  for (auto& tensor : tensors) tensor.name = "bert." + tensor.name;
  Json places = Json::object();
  std::array<std::vector<RawTensor>, 2> shards;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t shard = 2 * i / tensors.size();
    places[tensors[i].name] = "model-" + std::to_string(shard) + ".safetensors";
    shards[shard].push_back(tensors[i]);
  }
  return {{"config.json", config.dump()},
          {"model.safetensors.index.json", Json{{"metadata", {{"total_size", 1}}}, {"weight_map", places}}.dump()},
          {"model-0.safetensors", io::test::safetensors_bytes(shards[0])},
          {"model-1.safetensors", io::test::safetensors_bytes(shards[1])},
          {"vocab.txt", vocabulary()},
          {"special_tokens_map.json", Json{{"unk_token", "[UNK]"}, {"additional_special_tokens", {"<x>"}}}.dump()},
          {"added_tokens.json", Json{{"<x>", 11}}.dump()}};
}

Files sentence_model() {
  const auto module = [](int index, const char* path, const char* type) {
    return Json{{"idx", index},
                {"name", std::to_string(index)},
                {"path", path},
                {"type", std::string("sentence_transformers.models.") + type}};
  };
  const std::vector<RawTensor> dense{
      {"linear.weight", "F32", {4, 8}, stored(std::vector<float>(32, 0.5F), "F32")},
      {"linear.bias", "F32", {4}, stored(std::vector<float>(4, 0.25F), "F32")},
  };
  return {{"config.json", kSizes.dump()},
          {"model.safetensors", io::test::safetensors_bytes(tensors_of(kSizes, {}, "BF16"))},
          {"vocab.txt", vocabulary()},
          {"tokenizer_config.json", Json{{"tokenizer_class", "BertTokenizer"},
                                         {"strip_accents", true},
                                         {"mask_token", {{"content", "[MASK]"}, {"lstrip", true}}},
                                         {"added_tokens_decoder", {{"4", {{"content", "[MASK]"}, {"special", true}}}}}}
                                        .dump()},
          {"modules.json", Json::array({module(0, "", "Transformer"), module(1, "1_Pooling", "Pooling"),
                                        module(2, "2_Dense", "Dense"), module(3, "3_Normalize", "Normalize")})
                               .dump()},
          {"1_Pooling/config.json", Json{{"word_embedding_dimension", 8}, {"pooling_mode_mean_tokens", true}}.dump()},
          {"2_Dense/config.json", Json{{"in_features", 8},
                                       {"out_features", 4},
                                       {"bias", true},
                                       {"activation_function", "torch.nn.modules.activation.Tanh"}}
                                      .dump()},
          {"2_Dense/model.safetensors", io::test::safetensors_bytes(dense)},
          {"sentence_bert_config.json", Json{{"max_seq_length", 12}, {"do_lower_case", true}}.dump()},
          {"config_sentence_transformers.json",
           Json{{"prompts", {{"query", "a "}}}, {"default_prompt_name", "query"}, {"truncate_dim", 3}}.dump()}};
}

Files own_model() {
  const Json config =
      with(kSizes,
           {{"summand", {{"composition", "vector_gate"}, {"position_kind", "sinusoidal"}, {"position_base", 1000.0}}}});
  return {{"config.json", config.dump()},
          {"model.safetensors", io::test::safetensors_bytes(tensors_of(config, {}, "F32"))},
          {"vocab.txt", vocabulary()}};
}

Files int8_model(model::WeightFormat format) {
  const Json config = with(kSizes, {{"quantization_config", {{"format", model::name_of(format)}}}});
  const model::ModelParts parts{.pooler = model::Pooler::present};
  auto tensors = tensors_of(config, parts, "F16");
  const auto contract = model::parameters(model::parse_config(config.dump(), "tiny").config, parts);
  for (size_t i = 0; i < contract.size(); ++i) {
    if (!model::is_dense_weight(contract[i])) continue;
    RawTensor& weight = tensors[i];
    weight.dtype = "I8";
    weight.data.resize(model::elements(contract[i]));
    for (char& value : weight.data) value = value == '\x80' ? '\x7F' : value;
    const size_t rows = weight.shape[0];
    const std::string name = weight.name;
    tensors.push_back({model::scale_name(name), "F32", {rows}, stored(std::vector<float>(rows, 0.01F), "F32")});
    if (format != model::WeightFormat::summand_int8_calibrated) continue;
    const size_t columns = contract[i].shape[1];
    tensors.push_back({model::factor_name(name), "F32", {columns}, stored(std::vector<float>(columns, 2.0F), "F32")});
  }
  return {{"config.json", config.dump()},
          {"model.safetensors", io::test::safetensors_bytes(tensors)},
          {"vocab.txt", vocabulary()}};
}

}  // namespace

std::vector<NamedCheckpoint> valid_checkpoints() {
  return {{"whole model", whole_model()},
          {"several files", several_files()},
          {"sentence model", sentence_model()},
          {"own model", own_model()},
          {"int8 model", int8_model(model::WeightFormat::summand_int8)},
          {"calibrated model", int8_model(model::WeightFormat::summand_int8_calibrated)}};
}

}  // namespace summand::trust
