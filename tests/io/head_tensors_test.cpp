#include "io/head_tensors.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "io/files.hpp"

using namespace summand;
using namespace summand::io;
using namespace summand::io::test;
using model::Decoder;
using model::Head;

namespace {

std::vector<float> counted(size_t count, float first) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i) / 8;
  return values;
}

/// The tiny model with the tensors of some heads, each under Hugging Face's name.
std::vector<RawTensor> with_heads(const std::vector<Head>& heads, Decoder decoder = Decoder::tied,
                                  model::Pooler pooler = model::Pooler::present) {
  auto tensors = tiny_tensors(pooler);
  const model::Config config = model::parse_config(tiny_config_json(), "tiny").config;
  for (const Head head : heads) {
    for (const auto& parameter : model::head_parameters(config, head, decoder)) {
      tensors.push_back(floats(parameter.name, parameter.shape, counted(model::elements(parameter), 0.5F)));
    }
  }
  return tensors;
}

/// Loads the tensors beside the tiny configuration with more keys in it.
Checkpoint load(const std::vector<RawTensor>& tensors, const std::string& more_keys = "") {
  const TemporaryDirectory directory;
  write_tiny(directory.path(), tensors);
  std::string config = tiny_config_json();
  config.insert(config.size() - 1, more_keys);
  write_file(directory.path() / "config.json", config);
  return load_checkpoint(directory.path());
}

bool mentions(const Checkpoint& checkpoint, const std::string& what) {
  return std::ranges::any_of(checkpoint.notices,
                             [&](const std::string& notice) { return notice.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("a model has the heads whose tensors its file holds") {
  CHECK(load(tiny_tensors()).parts.heads.empty());
  const auto both = load(with_heads({Head::masked_language, Head::next_sentence}));
  CHECK(both.parts.heads == std::vector{Head::masked_language, Head::next_sentence});
  CHECK(both.parts.decoder == Decoder::tied);
  CHECK(both.notices.empty());
  CHECK(both.weights.size() == model::parameters(both.config.config, both.parts).size());
  const auto own = load(with_heads({Head::masked_language}, Decoder::own), R"(,"tie_word_embeddings":false)");
  CHECK(own.parts.decoder == Decoder::own);
  CHECK(model::decoder_weight(own.weights).shape == std::vector<size_t>{7, 4});
  CHECK(own.notices.empty());
}

TEST_CASE("architectures say what a classifier classifies, the pooler where they say nothing") {
  const auto kind = [](const std::string& keys, model::Pooler pooler = model::Pooler::present) {
    return load(with_heads({Head::sequence_classification}, Decoder::tied, pooler), keys).parts.heads;
  };
  CHECK(kind(R"(,"architectures":["BertForSequenceClassification"])") == std::vector{Head::sequence_classification});
  CHECK(kind(R"(,"architectures":["BertForTokenClassification"])") == std::vector{Head::token_classification});
  CHECK(kind(R"(,"architectures":["BertForMultipleChoice"])").empty());
  CHECK(kind("") == std::vector{Head::sequence_classification});
  CHECK(kind("", model::Pooler::absent) == std::vector{Head::token_classification});
}

TEST_CASE("a question answering head is found by its tensors") {
  const auto found = load(with_heads({Head::question_answering}, Decoder::tied, model::Pooler::absent),
                          R"(,"architectures":["BertForQuestionAnswering"])");
  CHECK(found.parts.heads == std::vector{Head::question_answering});
  CHECK(found.notices.empty());
  CHECK(found.weights.at("qa_outputs.weight").shape == std::vector<size_t>{2, 4});
}

TEST_CASE("an incomplete head is left out and said so; a classifier that does not fit its labels is refused") {
  auto tensors = with_heads({Head::masked_language});
  std::erase_if(tensors, [](const RawTensor& tensor) {
    return tensor.name.ends_with("LayerNorm.bias") && tensor.name.starts_with("cls.");
  });
  const auto checkpoint = load(tensors);
  CHECK(checkpoint.parts.heads.empty());
  CHECK(
      mentions(checkpoint, "the masked language head is left out, missing 'cls.predictions.transform.LayerNorm.bias'"));
  const auto no_pooler = load(with_heads({Head::next_sentence}, Decoder::tied, model::Pooler::absent));
  CHECK(mentions(no_pooler, "the next sentence head is left out, missing 'pooler.dense.weight'"));
  const std::string message = message_of<CheckpointError>(
      [] { static_cast<void>(load(with_heads({Head::sequence_classification}), R"(,"num_labels":3)")); });
  CHECK_MESSAGE(message.ends_with("'classifier.weight': expected F32, F16 or BF16 [3, 4], got F32 [2, 4]"), message);
}

TEST_CASE("a decoder that repeats the token table is tied, one that differs is not") {
  auto tensors = with_heads({Head::masked_language});
  RawTensor repeated = named(tensors, "embeddings.word_embeddings.weight");
  repeated.name = "cls.predictions.decoder.weight";
  tensors.push_back(repeated);
  const auto tied = load(tensors);
  CHECK(tied.parts.decoder == Decoder::tied);
  CHECK(tied.notices.empty());
  CHECK_FALSE(tied.weights.contains("cls.predictions.decoder.weight"));
  named(tensors, "cls.predictions.decoder.weight").data[0] ^= 1;
  const auto own = load(tensors);
  CHECK(own.parts.decoder == Decoder::own);
  CHECK(mentions(own, "'cls.predictions.decoder.weight' differs from the token table"));
  CHECK(own.weights.contains("cls.predictions.decoder.bias"));
}

TEST_CASE("the decoder's bias is the one that is read, under either of its names") {
  auto tensors = with_heads({Head::masked_language});
  tensors.push_back(floats("cls.predictions.decoder.bias", {7}, counted(7, 9)));
  const auto both = load(tensors);
  CHECK(model::to_floats(model::decoder_bias(both.weights)) == counted(7, 9));
  CHECK(mentions(both,
                 "'cls.predictions.decoder.bias' is the bias and 'cls.predictions.bias', which differs, is left out"));
  std::erase_if(tensors, [](const RawTensor& tensor) { return tensor.name == "cls.predictions.bias"; });
  const auto one = load(tensors);
  CHECK(model::to_floats(model::decoder_bias(one.weights)) == counted(7, 9));
  CHECK(one.notices.empty());
  // Files of untied decoders written before transformers 5 hold the shared bias under the first name only.
  auto old = with_heads({Head::masked_language});
  old.push_back(floats("cls.predictions.decoder.weight", {7, 4}, counted(28, 2)));
  const auto untied = load(old, R"(,"tie_word_embeddings":false)");
  CHECK(untied.parts.decoder == Decoder::own);
  CHECK(model::to_floats(model::decoder_bias(untied.weights)) == counted(7, 0.5F));
}
