// batch_probe TOKENS TOKENIZER STEPS SEED PAIRS LENGTH BATCH_TOKENS: the batches that a run of these options trains on,
// a JSON object a line, for a program that trains on the same.
// batch_probe TOKENS TOKENIZER valid SEQUENCES PAIRS LENGTH BATCH_TOKENS: those that it validates on.

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "train/data/masked_batch.hpp"
#include "train/data/validation_batches.hpp"

using namespace summand;

namespace {

void print(const train::MaskedBatch& batch) {
  const nlohmann::json line{{"ids", batch.batch.ids},         {"segments", batch.batch.segments},
                            {"offsets", batch.batch.offsets}, {"predicted", batch.predicted},
                            {"targets", batch.targets},       {"pair_labels", batch.pair_labels}};
  std::puts(line.dump().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fputs("usage: batch_probe TOKENS TOKENIZER STEPS|valid SEED|SEQUENCES PAIRS LENGTH BATCH_TOKENS\n", stderr);
    return 2;
  }
  try {
    const auto tokenizer = text::Tokenizer::load(argv[2]);
    const auto file = train::TokenFile::open(argv[1], tokenizer.vocabulary_size());
    const auto ids = train::SpecialIds::of(tokenizer);
    const std::string pairs = argv[5];
    train::SequenceRules rules;
    rules.examples.pairs = pairs == "next_sentence"    ? train::Pairs::next_sentence
                           : pairs == "sentence_order" ? train::Pairs::sentence_order
                                                       : train::Pairs::none;
    rules.examples.length = std::stoul(argv[6]);
    const size_t most_tokens = std::stoul(argv[7]);
    if (std::string(argv[3]) == "valid") {
      for (const auto& batch : train::validation_batches(file, ids, rules, most_tokens, std::stoul(argv[4])))
        print(batch);
      return 0;
    }
    train::BatchStream stream(file, ids, rules, std::stoul(argv[4]));
    for (int step = 0; step < std::stoi(argv[3]); ++step) print(stream.next(most_tokens));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batch_probe: %s\n", error.what());
    return 1;
  }
}
