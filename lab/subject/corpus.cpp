#include "lab/subject/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "inputs/input_file.hpp"
#include "lab/subject/built_in_corpora.hpp"
#include "lab/subject/corpus_fields.hpp"
#include "text/input_record.hpp"
#include "text/tokenizer.hpp"

namespace summand::lab {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostTexts = 2000;

struct Records {
  std::vector<text::InputRecord> texts;
  bool has_more = false;  ///< than are taken
};

Records records_of(const fs::path& file, const text::InputFields& fields) {
  if (!inputs::InputFile::format_of(file)) {
    throw UsageError("--corpus", fmt::format("expected english, chinese, or a name that ends in .txt, .jsonl, .csv or "
                                             ".tsv, .gz or .zst behind it or not, got '{}'",
                                             path_text(file)));
  }
  const text::InputAdvice advice{.text_field =
                                     "; --corpus-field names another, --corpus-pair-field that of second texts"};
  inputs::InputFile reader(file.string(), {.fields = fields, .advice = advice});
  Records records;
  while (auto record = reader.next()) {
    records.has_more = records.texts.size() == kMostTexts;
    if (records.has_more) break;
    records.texts.push_back(*std::move(record));
  }
  if (records.texts.empty()) throw ConfigError(path_text(file), "expected a corpus of at least one text, got none");
  return records;
}

std::vector<text::Encoding> encoded(const api::LoadedModel& model, const std::vector<text::InputRecord>& texts) {
  std::vector<text::Encoding> sentences;
  for (const auto& text : texts) sentences.push_back(model.encode(text, {}, model.position_limit()));
  return sentences;
}

uint64_t hash_of(const std::vector<text::Encoding>& sentences) {
  Hash hash;
  for (const auto& sentence : sentences) {
    for (const int32_t id : sentence.ids) hash.add_number(static_cast<uint64_t>(id));
    hash.add("end of a text");
  }
  return hash.value();
}

/// What was taken of it, in a few words.
LocalizedText name_of(LocalizedText name, bool has_more, const std::vector<text::Encoding>& sentences,
                      const CorpusCounts& counts) {
  const size_t texts = sentences.size();
  const auto cut = std::ranges::count_if(sentences, [](const auto& sentence) { return sentence.cut > 0; });
  const auto s = [](size_t count) { return count == 1 ? "" : "s"; };
  name.en += fmt::format(", {}{} text{}", has_more ? "the first " : "", texts, s(texts));
  name.zh += fmt::format("，{}{} 条文本", has_more ? "前 " : "", texts);
  if (cut > 0) {
    name.en += fmt::format(", {} of them cut to the model's positions", cut);
    name.zh += fmt::format("，其中 {} 条截至模型的位置数", cut);
  }
  const double unknown = 100 * counts.unknown_share();
  const double late = 100 * counts.late_share();
  name.en += fmt::format(", {} token{}: {:.2f} % [UNK], {:.1f} % at positions from {} on", counts.tokens,
                         s(counts.tokens), unknown, late, CorpusCounts::kLate);
  name.zh += fmt::format("，{} 个词元：[UNK] 占 {:.2f}%，位置 {} 及以后占 {:.1f}%", counts.tokens, unknown,
                         CorpusCounts::kLate, late);
  return name;
}

/// Whether there is a token in it that stands for something of the text.
bool has_words(const text::Encoding& sentence) {
  return std::ranges::any_of(sentence.words, [](auto word) { return word >= 0; });
}

/// Where the vocabulary does not cover it; empty where it does.
LocalizedText unknown_words(const CorpusCounts& counts) {
  constexpr double kMuch = 0.2;  // as for the other verbs' texts
  if (counts.unknown_share() < kMuch) return {};
  const double percent = 100 * counts.unknown_share();
  return {
      fmt::format("{:.0f} % of the corpus' tokens are [UNK]: the vocabulary does not cover it; --corpus takes other "
                  "texts",
                  percent),
      fmt::format("语料的词元中 {:.0f}% 是 [UNK]：词表不能覆盖此语料；可用 --corpus 换一份", percent)};
}

/// Where second texts get a segment that the model has no row of; empty where none does.
LocalizedText lacking_segments(const std::vector<text::Encoding>& sentences, int64_t rows) {
  const auto is_lacking = [&](const text::Encoding& sentence) {
    return std::ranges::any_of(sentence.segments, [&](int32_t segment) { return segment >= rows; });
  };
  const auto pairs = std::ranges::count_if(sentences, is_lacking);
  if (pairs == 0) return {};
  return {
      fmt::format("{} of the corpus' {} texts are pairs, and the model has {} segment row{}: their second text gets "
                  "the last one; --corpus takes single texts",
                  pairs, sentences.size(), rows, rows == 1 ? "" : "s"),
      fmt::format("语料的 {} 条文本中有 {} 条是文本对，而模型只有 {} 行句段：第二句取最后一行；可用 --corpus "
                  "换成单句文本",
                  sentences.size(), pairs, rows)};
}

/// What is wrong with it though it can be read; empty where nothing is.
LocalizedText warning_of(const CorpusCounts& counts, const LocalizedText& segments) {
  const LocalizedText unknown = unknown_words(counts);
  if (unknown.en.empty() || segments.en.empty()) return unknown.en.empty() ? segments : unknown;
  return {unknown.en + "; " + segments.en, unknown.zh + "；" + segments.zh};
}

Corpus corpus_of(const api::LoadedModel& model, LocalizedText name, const Records& records) {
  Corpus corpus;
  corpus.sentences = encoded(model, records.texts);
  corpus.hash = hash_of(corpus.sentences);
  const auto counts = counts_of(corpus.sentences, model.tokenizer().unk_id());
  corpus.name = name_of(std::move(name), records.has_more, corpus.sentences, counts);
  corpus.warning = warning_of(counts, lacking_segments(corpus.sentences, model.config().type_vocab_size));
  return corpus;
}

/// Whether a token is of the same word as the one before it.
bool continues_word(const text::Encoding& sentence, size_t i) {
  const auto& words = sentence.words;
  return i > 0 && words[i] >= 0 && words[i] == words[i - 1] && sentence.segments[i] == sentence.segments[i - 1];
}

const BuiltInCorpus& default_corpus(const api::LoadedModel& model) {
  const auto foreign = [&](const BuiltInCorpus& corpus) {
    return counts_of(encoded(model, corpus.texts), model.tokenizer().unk_id()).foreign_share();
  };
  return *std::ranges::min_element(built_in_corpora(), {}, foreign);
}

}  // namespace

CorpusCounts counts_of(const std::vector<text::Encoding>& sentences, std::optional<int32_t> unknown) {
  CorpusCounts counts;
  for (const auto& sentence : sentences) {
    const size_t tokens = sentence.ids.size();
    counts.tokens += tokens;
    counts.late += tokens - std::min(tokens, CorpusCounts::kLate);
    for (size_t i = 0; i < tokens; ++i) {
      if (sentence.ids[i] == unknown) ++counts.unknown;
      if (continues_word(sentence, i)) ++counts.continued;
    }
  }
  return counts;
}

std::string field_options(const text::InputFields& fields) {
  std::string options;
  if (fields.text) options += " --corpus-field " + *fields.text;
  if (fields.text_pair) options += " --corpus-pair-field " + *fields.text_pair;
  return options;
}

void check_fields(const std::optional<fs::path>& corpus, const text::InputFields& fields) {
  if (fields.are_usual() || (corpus && built_in_corpus(corpus->string()) == nullptr)) return;
  throw UsageError(fields.text ? "--corpus-field" : "--corpus-pair-field",
                   fmt::format("expected --corpus FILE beside it, got {}", corpus ? corpus->string() : "none"));
}

Corpus read_corpus(const api::LoadedModel& model, const std::optional<fs::path>& asked) {
  return read_corpus(model, asked, {});
}

Corpus read_corpus(const api::LoadedModel& model, const std::optional<fs::path>& asked,
                   const text::InputFields& fields) {
  const BuiltInCorpus* built_in = asked ? built_in_corpus(asked->string()) : &default_corpus(model);
  if (built_in == nullptr) {
    Corpus corpus = corpus_of(model, {path_text(*asked), path_text(*asked)}, records_of(*asked, fields));
    corpus.option = asked->string();
    if (std::ranges::none_of(corpus.sentences, has_words)) {
      throw ConfigError(path_text(*asked),
                        fmt::format("expected a corpus of at least one text, got {} empty line{}",
                                    corpus.sentences.size(), corpus.sentences.size() == 1 ? "" : "s"));
    }
    return corpus;
  }
  const std::string name(built_in->name);
  Corpus corpus = corpus_of(model, {name + " (built in)", name + "（内置）"}, {.texts = built_in->texts});
  corpus.option = name;
  corpus.is_default = !asked || built_in == &default_corpus(model);
  return corpus;
}

}  // namespace summand::lab
