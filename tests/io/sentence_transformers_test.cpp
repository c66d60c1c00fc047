#include "io/sentence_transformers.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;
using model::Pooling;

namespace {

const std::string kTransformer = "sentence_transformers.models.Transformer:";
const std::string kPooling = "sentence_transformers.models.Pooling:1_Pooling";
const std::string kDense = "sentence_transformers.models.Dense:2_Dense";
const std::string kNormalize = "sentence_transformers.models.Normalize:3_Normalize";

/// A tiny checkpoint of sentence-transformers. Modules are given as "type:path".
class SentenceDirectory {
 public:
  explicit SentenceDirectory(const std::vector<std::string>& modules = {kTransformer, kPooling}) {
    write_tiny(path());
    set_modules(modules);
    file("1_Pooling/config.json", R"({"word_embedding_dimension":4,"pooling_mode_mean_tokens":true})");
  }
  void set_modules(const std::vector<std::string>& modules) const {
    std::string json;
    for (size_t i = 0; i < modules.size(); ++i) {
      const size_t colon = modules[i].find(':');
      json += (i == 0 ? "" : ",") + std::string(R"({"idx":)") + std::to_string(i) + R"(,"name":")" + std::to_string(i) +
              R"(","path":")" + modules[i].substr(colon + 1) + R"(","type":")" + modules[i].substr(0, colon) + "\"}";
    }
    file("modules.json", "[" + json + "]");
  }
  void file(const std::string& name, const std::string& text) const { write_file(path() / name, text); }
  void dense(const std::string& config, const std::vector<RawTensor>& tensors) const {
    file("2_Dense/config.json", config);
    file("2_Dense/model.safetensors", safetensors_bytes(tensors));
  }
  [[nodiscard]] const fs::path& path() const { return directory_.path(); }
  [[nodiscard]] Checkpoint load() const { return load_checkpoint(path()); }
  [[nodiscard]] model::SentenceModules modules() const { return load().sentence_modules(); }
  [[nodiscard]] model::Dense dense_module() const { return *model::dense_steps(modules()).at(0); }
  /// The refusal's message, "DIR" standing for the directory.
  [[nodiscard]] std::string refusal() const {
    std::string message = message_of<Error>([&] { static_cast<void>(modules()); });
    for (size_t at = 0; (at = message.find(path().string())) != std::string::npos;) {
      message.replace(at, path().string().size(), "DIR");
    }
    return message;
  }

 private:
  TemporaryDirectory directory_;
};

const std::string kDenseConfig = R"({"in_features":4,"out_features":3,"bias":true,)"
                                 R"("activation_function":"torch.nn.modules.linear.Identity"})";

std::vector<RawTensor> dense_tensors() {
  return {floats("linear.weight", {3, 4}, std::vector<float>(12, 0.5F)), floats("linear.bias", {3}, {1, 2, 3})};
}

}  // namespace

TEST_CASE("modules of every version are known by their types") {
  const SentenceDirectory directory;
  for (const auto* package : {"sentence_transformers.models.", "sentence_transformers.base.modules.transformer.",
                              "sentence_transformers.sentence_transformer.modules."}) {
    directory.set_modules({std::string(package) + "Transformer:", std::string(package) + "Pooling:1_Pooling",
                           std::string(package) + "Dropout:2_Dropout", std::string(package) + "Normalize:3_Normalize"});
    const auto modules = directory.modules();
    CHECK(modules.from_directory);
    REQUIRE(modules.steps.size() == 1);
    CHECK(std::holds_alternative<model::Normalize>(modules.steps[0]));
    CHECK(modules.pooling == std::vector{Pooling::mean});
  }
}

TEST_CASE("every old pooling flag is read, and several keep the library's order") {
  const SentenceDirectory directory;
  const std::vector<std::pair<std::string, Pooling>> flags{
      {"pooling_mode_cls_token", Pooling::cls},
      {"pooling_mode_max_tokens", Pooling::max},
      {"pooling_mode_mean_tokens", Pooling::mean},
      {"pooling_mode_mean_sqrt_len_tokens", Pooling::mean_sqrt_length},
      {"pooling_mode_weightedmean_tokens", Pooling::weighted_mean},
      {"pooling_mode_lasttoken", Pooling::last_token}};
  std::string all;
  std::vector<Pooling> order;
  for (const auto& [flag, pooling] : flags) {
    directory.file("1_Pooling/config.json", R"({"word_embedding_dimension":4,")" + flag + "\":true}");
    CHECK(directory.modules().pooling == std::vector{pooling});
    all = ",\"" + flag + "\":true" + all;
    order.push_back(pooling);
  }
  directory.file("1_Pooling/config.json", R"({"word_embedding_dimension":4)" + all + "}");
  CHECK(directory.modules().pooling == order);
}

TEST_CASE("pooling_mode may be a word or a list, and outweighs the flags") {
  const SentenceDirectory directory;
  directory.file("1_Pooling/config.json",
                 R"({"embedding_dimension":4,"pooling_mode":"weightedmean","include_prompt":false})");
  CHECK(directory.modules().pooling == std::vector{Pooling::weighted_mean});
  CHECK_FALSE(directory.modules().include_prompt);
  directory.file("1_Pooling/config.json", R"({"pooling_mode":["max","cls"],"pooling_mode_mean_tokens":true})");
  CHECK(directory.modules().pooling == std::vector{Pooling::max, Pooling::cls});
  CHECK(directory.modules().include_prompt);
  directory.file("1_Pooling/config.json", R"({"embedding_dimension":4})");
  CHECK(directory.modules().pooling == std::vector{Pooling::mean});
}

TEST_CASE("a pooling that is not known is refused") {
  const SentenceDirectory directory;
  const std::string modes = "cls, max, mean, mean_sqrt_len_tokens, weightedmean or lasttoken, or a list of these";
  directory.file("1_Pooling/config.json", R"({"pooling_mode":"median"})");
  CHECK(directory.refusal() == "[DIR/1_Pooling/config.json] pooling_mode: expected " + modes + ", got \"median\"");
  directory.file("1_Pooling/config.json", R"({"pooling_mode":[]})");
  CHECK(directory.refusal() == "[DIR/1_Pooling/config.json] pooling_mode: expected " + modes + ", got []");
  directory.file("1_Pooling/config.json", R"({"pooling_mode_attention":true})");
  CHECK(directory.refusal() ==
        "[DIR/1_Pooling/config.json] pooling_mode_attention: this setting is not supported, expected none, got true");
  fs::remove(directory.path() / "1_Pooling/config.json");
  CHECK(directory.refusal() == "[DIR/1_Pooling] expected a config.json of this module, got none");
}

TEST_CASE("a Dense module is read with its weights and activation") {
  const SentenceDirectory directory({kTransformer, kPooling, kDense, kNormalize});
  directory.dense(kDenseConfig, dense_tensors());
  const auto modules = directory.modules();
  REQUIRE(modules.steps.size() == 2);
  const auto& dense = std::get<model::Dense>(modules.steps[0]);
  CHECK(dense.activation == model::TorchActivation::identity);
  CHECK(dense.weight.shape == std::vector<size_t>{3, 4});
  REQUIRE(dense.bias.has_value());
  CHECK(model::to_floats(*dense.bias) == std::vector<float>{1, 2, 3});
  CHECK(std::holds_alternative<model::Normalize>(modules.steps[1]));
  CHECK(model::first_ending(modules) == 1);
}

TEST_CASE("a Dense module's activation is tanh where nothing is said or what is said is not the library's") {
  const SentenceDirectory directory({kTransformer, kPooling, kDense});
  directory.dense(R"({"in_features":4,"out_features":3})", dense_tensors());
  CHECK(directory.dense_module().activation == model::TorchActivation::tanh);
  directory.dense(R"({"in_features":4,"out_features":3,"activation_function":"mine.Act"})", dense_tensors());
  const Checkpoint checkpoint = directory.load();
  CHECK(model::dense_steps(checkpoint.sentence).at(0)->activation == model::TorchActivation::tanh);
  REQUIRE(checkpoint.notices.size() == 1);
  CHECK(
      checkpoint.notices[0].ends_with("2_Dense/config.json: activation_function 'mine.Act' is code of the checkpoint's "
                                      "author; tanh is used, as sentence-transformers does"));
  directory.dense(R"({"in_features":4,"out_features":3,"activation_function":"torch.nn.ReLU"})", dense_tensors());
  CHECK(directory.dense_module().activation == model::TorchActivation::relu);
  for (const auto& known : model::enum_names(model::TorchActivation{})) {
    const std::string config = R"({"in_features":4,"out_features":3,"activation_function":")" + std::string(known.name);
    directory.dense(config + "\"}", dense_tensors());
    CHECK(directory.dense_module().activation == known.value);
  }
  for (const std::string name : {"torch.nn.PReLU", "torch.nn.modules.activation.GLU", "torch.tanh", "torch.x.ReLU"}) {
    directory.dense(R"({"in_features":4,"out_features":3,"activation_function":")" + name + "\"}", dense_tensors());
    const std::string message = directory.refusal();
    CHECK(message.starts_with(
        "[DIR/2_Dense/config.json] activation_function: expected one of torch.nn's Identity, Tanh, "));
    CHECK(message.ends_with(", got \"" + name + "\""));
  }
}

TEST_CASE("a Dense module that does not fit is refused") {
  const SentenceDirectory directory({kTransformer, kPooling, kDense});
  auto tensors = dense_tensors();
  directory.dense(R"({"in_features":5,"out_features":3})", tensors);
  CHECK(directory.refusal() == "[DIR/2_Dense/config.json] in_features: expected 4, the width of what comes in, got 5");
  directory.dense(R"({"in_features":4,"out_features":3,"use_residual":true})", tensors);
  CHECK(directory.refusal() == "[DIR/2_Dense/model.safetensors] expected a tensor 'residual.weight', got none");
  directory.dense(R"({"in_features":4,"out_features":3,"module_input_name":"token_embeddings"})", tensors);
  CHECK(directory.refusal() ==
        "[DIR/2_Dense/config.json] module_input_name: expected \"sentence_embedding\", got \"token_embeddings\"");
  directory.dense(R"({"in_features":4,"out_features":2})", tensors);
  CHECK(directory.refusal() ==
        "[DIR/2_Dense/model.safetensors] 'linear.weight': expected F32, F16 or BF16 [2, 4], got F32 [3, 4]");
  directory.dense(R"({"in_features":4,"out_features":3,"bias":false})", tensors);
  CHECK(directory.refusal() == "[DIR/2_Dense/model.safetensors] expected 1 tensors of a Dense module, got 2");
  directory.dense(kDenseConfig, {tensors[0]});
  CHECK(directory.refusal() == "[DIR/2_Dense/model.safetensors] expected a tensor 'linear.bias', got none");
  tensors[1] = floats("linear.bias", {3}, {1, 2, INFINITY});
  directory.dense(kDenseConfig, tensors);
  CHECK(directory.refusal() ==
        "[DIR/2_Dense/model.safetensors] 'linear.bias': expected finite numbers, got NaN or "
        "infinity at element 2");
  fs::remove(directory.path() / "2_Dense/model.safetensors");
  directory.file("2_Dense/pytorch_model.bin", "x");
  CHECK(directory.refusal() ==
        "[DIR/2_Dense/pytorch_model.bin] expected a zip archive, as torch.save writes it, got a file that begins with "
        "'x'");
}

TEST_CASE("a module type that is not supported is named") {
  const SentenceDirectory directory;
  const std::string expected =
      "' is not supported, expected Transformer, Pooling, Dense, LayerNorm, Normalize or Dropout of "
      "sentence_transformers";
  for (const std::string type : {"sentence_transformers.models.LSTM", "sentence_transformers.models.CNN",
                                 "sentence_transformers.models.WordWeights", "custom_st.Transformer"}) {
    directory.set_modules({kTransformer, kPooling, type + ":2_X"});
    CHECK(directory.refusal() == "[DIR/modules.json] module type '" + type + expected);
  }
}

TEST_CASE("an order that cannot be computed is named") {
  const SentenceDirectory directory;
  const std::string expected =
      "[DIR/modules.json] expected Transformer, Pooling, then any of Dense, LayerNorm, Normalize and Dropout, got ";
  directory.set_modules({kTransformer, kPooling, kTransformer});
  CHECK(directory.refusal() == expected + "Transformer, Pooling, Transformer");
  directory.set_modules({kTransformer, "sentence_transformers.models.Dropout:1_Dropout", kPooling});
  CHECK(directory.refusal() == expected + "Transformer, Dropout, Pooling");
  directory.set_modules({kTransformer, kNormalize});
  CHECK(directory.refusal() == expected + "Transformer, Normalize");
  directory.set_modules({kTransformer, kDense, kPooling});
  CHECK(directory.refusal() == expected + "Transformer, Dense, Pooling");
  directory.set_modules({kTransformer, kPooling, kPooling});
  CHECK(directory.refusal() == expected + "Transformer, Pooling, Pooling");
  directory.set_modules({kPooling});
  CHECK(directory.refusal() == expected + "Pooling");
  directory.set_modules({kTransformer});
  CHECK(directory.refusal() == expected + "Transformer");
  directory.set_modules({});
  CHECK(directory.refusal() == expected);
}

TEST_CASE("the transformer may lie in a folder of its own, but not outside the directory") {
  const SentenceDirectory directory({"sentence_transformers.models.Transformer:0_Transformer", kPooling});
  for (const auto* name : {"config.json", "model.safetensors"}) {
    fs::create_directories(directory.path() / "0_Transformer");
    fs::rename(directory.path() / name, directory.path() / "0_Transformer" / name);
  }
  directory.file("0_Transformer/sentence_bert_config.json", R"({"max_seq_length":3})");
  CHECK(directory.load().transformer_directory == directory.path() / "0_Transformer");
  CHECK(directory.modules().max_seq_length == 3);
  for (const std::string path : {"../x", "/etc", "a/../../b", "c:x"}) {
    directory.set_modules({kTransformer + path, kPooling});
    CHECK(directory.refusal() == "[DIR/modules.json] path: expected a folder below the model's, got '" + path + "'");
  }
}

TEST_CASE("the limit of a text's length is the file's, else the tokenizer's, never above the positions") {
  const SentenceDirectory directory;
  CHECK(directory.modules().max_seq_length == 5);
  directory.file("tokenizer_config.json", R"({"model_max_length":1000000000000000019884624838656})");
  CHECK(directory.modules().max_seq_length == 5);
  directory.file("tokenizer_config.json", R"({"model_max_length":4})");
  CHECK(directory.modules().max_seq_length == 4);
  directory.file("sentence_distilbert_config.json", R"({"max_seq_length":3,"do_lower_case":true})");
  CHECK(directory.modules().max_seq_length == 3);
  CHECK(directory.modules().do_lower_case == true);
  directory.file("sentence_bert_config.json", R"({"max_seq_length":2})");
  CHECK(directory.modules().max_seq_length == 2);
  CHECK_FALSE(directory.modules().do_lower_case.has_value());
  directory.file("sentence_bert_config.json", R"({"max_seq_length":2,"tokenizer_args":{"model_max_length":1}})");
  CHECK(directory.modules().max_seq_length == 1);
  directory.file("sentence_bert_config.json", R"({"max_seq_length":600})");
  CHECK(directory.modules().max_seq_length == 5);
  CHECK(directory.load().notices.at(0).ends_with(
      "sentence_bert_config.json: max_seq_length is 600, the model has 5 positions, which is the limit"));
  directory.file("sentence_bert_config.json", R"({"max_seq_length":0})");
  CHECK(directory.refusal() ==
        "[DIR/sentence_bert_config.json] max_seq_length: expected an integer of at least 1, got 0");
}

TEST_CASE("transformer settings that change the result are refused, others pass") {
  const SentenceDirectory directory;
  const auto refusal = [&](const std::string& json) {
    directory.file("sentence_bert_config.json", json);
    return directory.refusal();
  };
  const std::string place = "[DIR/sentence_bert_config.json] ";
  CHECK(refusal(R"({"transformer_task":"fill-mask"})") ==
        place + R"(transformer_task: expected "feature-extraction", got "fill-mask")");
  CHECK(refusal(R"({"module_output_name":"sentence_embedding"})") ==
        place + R"(module_output_name: expected "token_embeddings", got "sentence_embedding")");
  CHECK(refusal(R"({"modality_config":{"text":{"method":"forward","method_output_name":"pooler_output"}}})") ==
        place + R"(modality_config.text.method_output_name: expected "last_hidden_state", got "pooler_output")");
  CHECK(refusal(R"({"config_args":{"num_hidden_layers":3}})") ==
        place + "config_args.num_hidden_layers: this setting is not supported, expected none, got 3");
  CHECK(refusal(R"({"processing_kwargs":{"text":{"max_length":3}}})") ==
        place + "processing_kwargs.text.max_length: this setting is not supported, expected none, got 3");
  CHECK(refusal(R"({"transformer_task":"feature-extraction","module_output_name":"token_embeddings",)"
                R"("unpad_inputs":null,"model_args":{"torch_dtype":"float32"},)"
                R"("modality_config":{"text":{"method":"forward","method_output_name":"last_hidden_state"}}})")
            .empty());
}

TEST_CASE("JSON nested without end is refused in every file") {
  const std::string deep(1'000'000, '[');
  for (const std::string& text : {deep, "{\"a\":" + deep + std::string(deep.size(), ']') + "}"}) {
    for (const std::string name : {"config.json", "modules.json", "1_Pooling/config.json", "tokenizer_config.json",
                                   "sentence_bert_config.json", "config_sentence_transformers.json"}) {
      const SentenceDirectory directory;
      directory.file(name, text);
      CHECK(directory.refusal() == "[DIR/" + name + ":1] expected JSON of at most 100 levels, got more");
    }
  }
}

TEST_CASE("what only sentence vectors need closes no folder to other verbs") {
  const std::vector<std::pair<std::string, std::string>> files{
      {"modules.json", "{}"},
      {"modules.json", R"([{"type":"mine.Module","path":""}])"},
      {"1_Pooling/config.json", R"({"pooling_mode":"median"})"},
      {"sentence_bert_config.json", R"({"max_seq_length":-1,"do_lower_case":true})"},
      {"config_sentence_transformers.json", R"({"prompts":1})"},
      {"config_sentence_transformers.json", "["},
      {"tokenizer_config.json", R"({"model_max_length":"many"})"}};
  for (const auto& [name, text] : files) {
    const SentenceDirectory directory;
    directory.file(name, text);
    const Checkpoint checkpoint = directory.load();
    INFO(name, text);
    const std::string message = directory.refusal();
    CHECK(message.starts_with("[DIR/" + name));
    REQUIRE(checkpoint.notices.size() == 1);
    CHECK(checkpoint.notices[0].starts_with("sentence vectors cannot be made: " + directory.path().string()));
    CHECK(checkpoint.sentence.do_lower_case.has_value() == text.ends_with("true}"));
  }
}

TEST_CASE("a LayerNorm module and a Normalize before the Pooling are read") {
  const SentenceDirectory directory({kTransformer, kNormalize, kPooling, kNormalize,
                                     "sentence_transformers.models.LayerNorm:4_LayerNorm", kNormalize, kNormalize});
  directory.file("4_LayerNorm/config.json", R"({"dimension":4})");
  directory.file("4_LayerNorm/model.safetensors",
                 safetensors_bytes({floats("norm.weight", {4}, {1, 2, 3, 4}), floats("norm.bias", {4}, {0, 1, 0, 1})}));
  const auto modules = directory.modules();
  REQUIRE(modules.steps.size() == 4);
  CHECK(model::to_floats(std::get<model::VectorNorm>(modules.steps[1]).weight) == std::vector<float>{1, 2, 3, 4});
  CHECK(model::first_ending(modules) == 2);
  REQUIRE(directory.load().notices.size() == 1);
  CHECK(directory.load().notices[0].ends_with(
      "3_Normalize: this Normalize is before the Pooling, finds no sentence vector and does nothing, as in "
      "sentence-transformers"));
  directory.file("4_LayerNorm/config.json", R"({"dimension":5})");
  CHECK(directory.refusal() ==
        "[DIR/4_LayerNorm/config.json] dimension: expected 4, the width of what comes in, got 5");
}

TEST_CASE("the similarity is what the file names, else the cosine") {
  const SentenceDirectory directory;
  const auto named = [&](const std::string& json) {
    directory.file("config_sentence_transformers.json", R"({"similarity_fn_name":)" + json + "}");
    return directory.modules();
  };
  for (const auto& known : enum_names(model::Similarity{})) {
    CHECK(named("\"" + std::string(known.name) + "\"").similarity == known.value);
    CHECK(directory.modules().names_similarity);
    CHECK(directory.load().notices.empty());
  }
  CHECK(named("null").similarity == model::Similarity::cosine);
  CHECK_FALSE(directory.modules().names_similarity);
  CHECK(directory.load().notices.empty());
  for (const std::string other : {"\"maxsim\"", "5"}) {
    CHECK(named(other).similarity == model::Similarity::cosine);
    REQUIRE(directory.load().notices.size() == 1);
    CHECK(
        directory.load().notices[0].ends_with("config_sentence_transformers.json: similarity_fn_name: expected one of "
                                              "cosine, dot, euclidean, manhattan, got " +
                                              other + "; cosine is used, as sentence-transformers does"));
  }
}

TEST_CASE("prompts, the default prompt and the width are read") {
  const SentenceDirectory directory;
  CHECK(directory.modules().prompts == std::map<std::string, std::string>{{"document", ""}, {"query", ""}});
  directory.file("config_sentence_transformers.json",
                 R"({"prompts":{"query":"q: ","sts":"s: ","none":null},"default_prompt_name":"sts","truncate_dim":2})");
  const auto modules = directory.modules();
  CHECK(modules.prompts ==
        std::map<std::string, std::string>{{"document", ""}, {"none", ""}, {"query", "q: "}, {"sts", "s: "}});
  CHECK(modules.default_prompt_name == "sts");
  CHECK(modules.truncate_dimensions == 2);
  directory.file("config_sentence_transformers.json", R"({"default_prompt_name":"gone"})");
  CHECK(directory.refusal() ==
        "[DIR/config_sentence_transformers.json] default_prompt_name: expected one of the prompts, got \"gone\"");
  directory.file("config_sentence_transformers.json", R"({"prompts":{"a":1}})");
  CHECK(directory.refusal() == "[DIR/config_sentence_transformers.json] prompts.a: expected a string, got 1");
}

TEST_CASE("a directory of another model type gets the library's default modules") {
  const SentenceDirectory directory({kTransformer, "sentence_transformers.cross_encoder.modules.LogitScore:1_X"});
  directory.file("config_sentence_transformers.json",
                 R"({"model_type":"CrossEncoder","prompts":{"query":"q"},"default_prompt_name":"query"})");
  const Checkpoint checkpoint = directory.load();
  CHECK_FALSE(checkpoint.sentence.from_directory);
  CHECK(checkpoint.sentence.pooling == std::vector{Pooling::mean});
  CHECK_FALSE(checkpoint.sentence.default_prompt_name.has_value());
  REQUIRE(checkpoint.notices.size() == 1);
  CHECK(checkpoint.notices[0] == directory.path().string() +
                                     ": its modules are those of a CrossEncoder and do not apply; sentence vectors are "
                                     "the mean over tokens, as sentence-transformers has it");
}
