#include "train/study/study_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace summand::train {

namespace {

constexpr std::array<const char*, kFirstSymbol> kSpecials{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
constexpr int32_t kCls = 2, kSep = 3, kMask = 4;

/// A text as it grows, and where each position's token is.
struct Text {
  std::vector<int32_t> ids, segments;
  std::vector<size_t> token_of;  ///< [length]

  void add(int32_t id, int32_t segment) {
    ids.push_back(id);
    segments.push_back(segment);
  }
};

Text text_of(const TaskSequence& sequence, std::span<const int32_t> seen, const Reading& reading) {
  Text text;
  text.add(kCls, sequence.segments.front());
  for (size_t position = 0; position < seen.size(); ++position) {
    const int32_t segment = sequence.segments[position];
    if (reading.separator && position == sequence.boundary && position > 0)
      text.add(kSep, sequence.segments[position - 1]);
    text.token_of.push_back(text.ids.size());
    text.add(seen[position] == kUnseen ? kMask : kFirstSymbol + seen[position], segment);
  }
  text.add(kSep, sequence.segments.back());
  return text;
}

void misread(std::span<int32_t> seen, double probability, size_t symbols, RandomStream& random) {
  for (int32_t& symbol : seen) {
    const bool wrong = random.uniform() < probability;
    const auto other = static_cast<int32_t>(random.below(symbols));
    if (wrong && symbol != kUnseen) symbol = other;
  }
}

/// Which of what is asked, ascending.
std::vector<size_t> predicted_of(const TaskSequence& sequence, const Reading& reading, RandomStream& random) {
  std::vector<size_t> all(sequence.asked.size());
  std::iota(all.begin(), all.end(), size_t{0});
  if (!reading.predicted || *reading.predicted >= all.size()) return all;
  random.shuffle(std::span(all));
  all.resize(*reading.predicted);
  std::ranges::sort(all);
  return all;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> study_tokenizer(size_t symbols, size_t positions) {
  std::string words;
  for (const auto* special : kSpecials) words += fmt::format("{}\n", special);
  for (size_t symbol = 0; symbol < symbols; ++symbol) words += fmt::format("s{}\n", symbol);
  const nlohmann::ordered_json config{
      {"tokenizer_class", "BertTokenizer"}, {"do_lower_case", false}, {"model_max_length", positions}};
  return {{"vocab.txt", words}, {"tokenizer_config.json", config.dump(2) + "\n"}};
}

size_t tokens_of(const TaskSizes& sizes, bool separator) {
  return sizes.length + (separator ? 3 : 2);
}

MaskedBatch study_batch(const Task& task, std::span<const TaskSequence> sequences, const Reading& reading,
                        uint64_t seed) {
  MaskedBatch batch;
  RandomStream random(seed, "study misread"), choice(seed, "study predicted");
  for (const TaskSequence& sequence : sequences) {
    std::vector<int32_t> seen = task.masks() ? seen_symbols(sequence) : sequence.symbols;
    if (reading.misread > 0) misread(seen, reading.misread, task.sizes().symbols, random);
    const Text text = text_of(sequence, seen, reading);
    const size_t first = batch.batch.tokens();
    batch.batch.add(text.ids, text.segments);
    for (const size_t i : predicted_of(sequence, reading, choice)) {
      batch.predicted.push_back(first + text.token_of[sequence.asked[i]]);
      batch.targets.push_back(sequence.answers[i] + (task.masks() ? kFirstSymbol : 0));
    }
  }
  return batch;
}

}  // namespace summand::train
