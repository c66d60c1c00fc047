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

TEST_CASE("a classifier is found by its tensors, whatever class saved it") {
  const auto with_classifier = [](const std::string& keys, model::Pooler pooler = model::Pooler::present) {
    return load(with_heads({Head::sequence_classification}, Decoder::tied, pooler), keys);
  };
  const std::vector sequence{Head::sequence_classification};
  const std::vector token{Head::token_classification};
  for (const std::string name : {"BertForMultiLabelClassification", "BertModel", "SomebodysNet"}) {
    const std::string key = R"(,"architectures":[")" + name + "\"]";
    const auto texts = with_classifier(key);
    CHECK(texts.parts.heads == sequence);
    CHECK(mentions(texts,
                   "config.json: 'classifier.weight' is taken for a sequence classification head, as there is a "
                   "pooler; architectures names '" +
                       name + "'"));
    CHECK(mentions(texts, "several hold") == (name == "BertForMultiLabelClassification"));
    CHECK(with_classifier(key, model::Pooler::absent).parts.heads == token);
    const std::string tags = R"(,"id2label":{"0":"O","1":"B-PER"})";
    CHECK(with_classifier(key + tags).parts.heads == token);
    CHECK(with_classifier(key + tags + R"(,"problem_type":"regression")").parts.heads == sequence);
    CHECK(with_classifier(key + R"(,"id2label":{"0":"O","1":"X"})").parts.heads == sequence);
    const auto* absent = texts.parts.find_absent(Head::token_classification);
    REQUIRE(absent != nullptr);
    CHECK(absent->reason ==
          "'classifier.weight' [2, 4] is taken for a sequence "
          "classification head, as there is a pooler; with \"architectures\": "
          "[\"BertForTokenClassification\"] it is the other");
  }
  CHECK(with_classifier(R"(,"architectures":["MyTokenClassifier","MyBertForTokenClassification"])").parts.heads ==
        token);
  const auto choice = with_classifier(R"(,"architectures":["BertForMultipleChoice"])");
  for (const Head head : {Head::sequence_classification, Head::token_classification}) {
    REQUIRE(choice.parts.find_absent(head) != nullptr);
    CHECK(choice.parts.find_absent(head)->reason.ends_with(
        "'classifier.weight' [2, 4] is another head's, as architectures names 'BertForMultipleChoice'"));
  }
}

TEST_CASE("a classifier has as many labels as rows where the file does not say") {
  auto tensors = tiny_tensors();
  tensors.push_back(floats("classifier.weight", {3, 4}, counted(12, 0)));
  tensors.push_back(floats("classifier.bias", {3}, counted(3, 0)));
  const auto labels = [&](const std::string& keys) { return load(tensors, keys).config.config.labels.names; };
  const std::vector<std::string> numbered{"LABEL_0", "LABEL_1", "LABEL_2"};
  CHECK(labels("") == numbered);
  CHECK(mentions(load(tensors), "there is no id2label and the classifier has 3 rows, so its labels are LABEL_0 to"));
  CHECK(labels(R"(,"num_labels":3,"id2label":{"0":"a","1":"b"})") == numbered);
  CHECK(labels(R"(,"num_labels":2,"id2label":{"0":"a","1":"b","2":"c"})") == std::vector<std::string>{"a", "b", "c"});
  CHECK(labels(R"(,"id2label":{"0":0,"1":1,"2":-2.5})") == std::vector<std::string>{"0", "1", "-2.5"});
  const auto two = load(tensors, R"(,"id2label":{"0":"a","1":"b"})");
  CHECK(two.parts.heads.empty());
  CHECK(mentions(two,
                 "the sequence classification head is left out, 'classifier.weight' [3, 4]: expected 2 rows, the "
                 "number of labels that id2label gives, got 3"));
}

TEST_CASE("a label that is none leaves its head out, and closes nothing else") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"0":"a","1":null})", "id2label: label 1 of 2: expected a string or a number, got null"},
      {R"({"0":["a"],"1":"b"})", "id2label: label 0 of 2: expected a string or a number, got an array"},
      {R"({"0":"a","2":"b"})", "id2label: label 1 of 2: expected a label for every number from 0 to 1, got none"},
      {R"(["a","b"])", "id2label: expected an object of labels by number, got an array"}};
  for (const auto& [json, message] : cases) {
    const auto checkpoint =
        load(with_heads({Head::masked_language, Head::sequence_classification}), ",\"id2label\":" + json);
    CHECK(checkpoint.parts.heads == std::vector{Head::masked_language});
    const auto* absent = checkpoint.parts.find_absent(Head::sequence_classification);
    REQUIRE(absent != nullptr);
    CHECK(absent->where.ends_with("config.json"));
    CHECK(absent->reason == message);
  }
  for (const std::string keys : {R"(,"problem_type":"ranking")", R"(,"num_labels":"three")"}) {
    const auto checkpoint = load(with_heads({Head::sequence_classification}), keys);
    CHECK(checkpoint.parts.heads.empty());
    CHECK(checkpoint.parts.find_absent(Head::sequence_classification)->cause == model::AbsentHead::Cause::setting);
  }
  const auto untied = load(with_heads({Head::masked_language}), R"(,"tie_word_embeddings":"no")");
  CHECK(untied.parts.heads.empty());
  CHECK(mentions(load(tiny_tensors(), R"(,"hidden_dropout_prob":"some","task_specific_params":5,"label2id":5)"),
                 "config.json: hidden_dropout_prob: expected a number, got \"some\"; it is left out"));
}

TEST_CASE("tensors that belong to no head known here are listed") {
  auto tensors = with_heads({Head::masked_language});
  tensors.push_back(floats("score.weight", {2, 4}, counted(8, 0)));
  tensors.push_back(floats("classifier.dense.weight", {4, 4}, counted(16, 0)));
  const auto checkpoint = load(tensors);
  CHECK(checkpoint.parts.heads == std::vector{Head::masked_language});
  CHECK(checkpoint.parts.other_tensors ==
        std::vector<std::string>{"'classifier.dense.weight' [4, 4]", "'score.weight' [2, 4]"});
}

TEST_CASE("an incomplete head is left out and said so, and so is a classifier that does not fit") {
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
  const auto three = load(with_heads({Head::sequence_classification}), R"(,"num_labels":3)");
  CHECK(three.parts.heads.empty());
  CHECK(mentions(three, "expected 3 rows, the number of labels that num_labels gives, got 2"));
  auto wide = tiny_tensors();
  wide.push_back(floats("classifier.weight", {2, 8}, counted(16, 0)));
  wide.push_back(floats("classifier.bias", {2}, counted(2, 0)));
  CHECK(mentions(load(wide),
                 "the sequence classification head is left out, expected a weight [labels, 4] and a bias "
                 "[labels] in floating point, got 'classifier.weight' [2, 8] and 'classifier.bias' [2]"));
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
