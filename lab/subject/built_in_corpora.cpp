#include "lab/subject/built_in_corpora.hpp"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "lab/subject/corpus_files.hpp"
#include "text/input_reader.hpp"

namespace summand::lab {

namespace {

BuiltInCorpus read(std::string_view name, std::string_view lines) {
  text::InputReader reader(std::make_unique<std::istringstream>(std::string(lines)), std::string(name),
                           {.format = text::InputFormat::jsonl});
  BuiltInCorpus corpus{.name = name, .texts = {}};
  while (auto record = reader.next()) corpus.texts.push_back(*std::move(record));
  return corpus;
}

}  // namespace

const std::vector<BuiltInCorpus>& built_in_corpora() {
  static const std::vector<BuiltInCorpus> corpora{read("english", english_corpus()), read("chinese", chinese_corpus())};
  return corpora;
}

const BuiltInCorpus* built_in_corpus(std::string_view name) {
  const auto found = std::ranges::find(built_in_corpora(), name, &BuiltInCorpus::name);
  return found == built_in_corpora().end() ? nullptr : &*found;
}

}  // namespace summand::lab
