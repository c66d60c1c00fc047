#include "lab/plant/small_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/assert.hpp"
#include "base/temporary_folder.hpp"
#include "io/output_file.hpp"
#include "io/safetensors_writer.hpp"
#include "lab/subject/table_of.hpp"
#include "model/checkpoint_config.hpp"

namespace summand::lab {

namespace small_model {
namespace {

namespace fs = std::filesystem;

constexpr double kTableDeviation = 0.3;
constexpr double kBiasDeviation = 0.1;
constexpr size_t kLetters = 26;
constexpr size_t kOwnWords = 5;  // of a topic
constexpr const char* kSpecial = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";

void write(const fs::path& path, const std::string& text) {
  io::OutputFile out(path);
  out.write(text);
  out.commit();
}

std::vector<float> drawn(const model::Parameter& parameter, RandomStream& stream) {
  const bool is_matrix = parameter.shape.size() == 2;
  const bool is_table = is_matrix && parameter.part != model::ParameterGroup::encoder &&
                        parameter.part != model::ParameterGroup::heads &&
                        parameter.part != model::ParameterGroup::pooler;
  double deviation = kBiasDeviation;
  if (is_matrix) deviation = is_table ? kTableDeviation : 1 / std::sqrt(static_cast<double>(parameter.shape[1]));
  std::vector<float> values(model::elements(parameter), 1.0F);
  if (parameter.initialiser == model::Initialiser::ones) return values;
  for (float& value : values) value = static_cast<float>(deviation * stream.normal());
  return values;
}

std::string joined(const std::vector<size_t>& words) {
  std::string text;
  for (const size_t word : words) text += (text.empty() ? "" : " ") + small_word(word);
  return text;
}

std::string lines_of(const std::vector<SmallText>& corpus) {
  std::string lines;
  for (const auto& text : corpus) {
    lines += fmt::format(R"({{"text": "{}")", joined(text.first));
    if (!text.second.empty()) lines += fmt::format(R"(, "text_pair": "{}")", joined(text.second));
    lines += "}\n";
  }
  return lines;
}

std::vector<size_t> random_words(const SmallCorpus& sizes, RandomStream& stream) {
  std::vector<size_t> words(sizes.shortest + stream.below(sizes.longest - sizes.shortest + 1));
  for (size_t& word : words) word = stream.below(sizes.words);
  return words;
}

}  // namespace
}  // namespace small_model

std::string small_word(size_t number) {
  using small_model::kLetters;
  return {static_cast<char>('a' + number % kLetters), static_cast<char>('a' + number / kLetters % kLetters)};
}

SmallModel::SmallModel(const SmallSizes& sizes, RandomStream& stream) {
  config_.vocab_size = static_cast<int64_t>(kSpecialTokens) + sizes.words;
  config_.hidden_size = sizes.hidden;
  config_.num_hidden_layers = sizes.layers;
  config_.num_attention_heads = sizes.heads;
  config_.intermediate_size = sizes.intermediate;
  config_.max_position_embeddings = sizes.positions;
  config_.type_vocab_size = sizes.segments;
  config_.tie_word_embeddings = sizes.parts.decoder == model::Decoder::tied;
  for (const auto& parameter : model::parameters(config_, sizes.parts)) {
    weights_.set(parameter.name, model::make_tensor(parameter.shape, small_model::drawn(parameter, stream)));
  }
}

Table SmallModel::table(const std::string& name) const {
  return table_of(weights_.at(name));
}

void SmallModel::put(const std::string& name, const Table& table) {
  const auto shape = weights_.at(name).shape;
  SUMMAND_ASSERT(static_cast<size_t>(table.size()) == weights_.at(name).elements());
  std::vector<float> values;
  for (const double value : elements(table)) values.push_back(static_cast<float>(value));
  weights_.set(name, model::make_tensor(shape, values));
}

void SmallModel::change(std::string_view ending, const std::function<void(Table&)>& how) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : weights_) {
    if (name.ends_with(ending)) names.push_back(name);
  }
  SUMMAND_ASSERT(!names.empty());
  for (const auto& name : names) {
    Table changed = table(name);
    how(changed);
    put(name, changed);
  }
}

Subject SmallModel::subject(const std::vector<SmallText>& corpus) const {
  const TemporaryFolder folder("summand-small-model");
  std::string vocabulary = small_model::kSpecial;
  for (size_t word = 0; word + kSpecialTokens < static_cast<size_t>(config_.vocab_size); ++word) {
    vocabulary += small_word(word) + "\n";
  }
  small_model::write(folder.path() / "vocab.txt", vocabulary);
  small_model::write(folder.path() / "config.json", model::checkpoint_json(config_));
  small_model::write(folder.path() / "corpus.jsonl", small_model::lines_of(corpus));
  io::write_safetensors(folder.path() / "model.safetensors", weights_);
  return load_subject(folder.path().string(), folder.path() / "corpus.jsonl", 1);
}

std::vector<SmallText> random_texts(const SmallCorpus& sizes, RandomStream& stream) {
  std::vector<SmallText> texts;
  for (size_t i = 0; i < sizes.texts; ++i) {
    SmallText text{.first = small_model::random_words(sizes, stream)};
    if (i % 3 == 0) text.second = small_model::random_words(sizes, stream);
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<SmallText> topic_texts(size_t texts, size_t length, RandomStream& stream) {
  using small_model::kOwnWords;
  SUMMAND_ASSERT(texts * kOwnWords <= kSmallWords);
  std::vector<SmallText> corpus(texts);
  for (size_t i = 0; i < texts; ++i) {
    for (size_t place = 0; place < length; ++place) {
      corpus[i].first.push_back(kOwnWords * i + (place + stream.below(2)) % kOwnWords);
    }
  }
  return corpus;
}

}  // namespace summand::lab
