// batch_probe TOKENS TOKENIZER STEPS SEED PAIRS LENGTH BATCH_TOKENS: the batches that a run of these options trains on,
// a JSON object a line, for a program that trains on the same.

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "train/data/masked_batch.hpp"

using namespace summand;

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fputs("usage: batch_probe TOKENS TOKENIZER STEPS SEED PAIRS LENGTH BATCH_TOKENS\n", stderr);
    return 2;
  }
  try {
    const auto file = train::TokenFile::open(argv[1]);
    const auto ids = train::SpecialIds::of(text::Tokenizer::load(argv[2]));
    train::SequenceRules rules;
    rules.examples.pairs = std::string(argv[5]) == "next_sentence" ? train::Pairs::next_sentence : train::Pairs::none;
    rules.examples.length = std::stoul(argv[6]);
    train::BatchStream stream(file, ids, rules, std::stoul(argv[4]));
    for (int step = 0; step < std::stoi(argv[3]); ++step) {
      const auto batch = stream.next(std::stoul(argv[7]));
      const nlohmann::json line{{"ids", batch.batch.ids},         {"segments", batch.batch.segments},
                                {"offsets", batch.batch.offsets}, {"predicted", batch.predicted},
                                {"targets", batch.targets},       {"pair_labels", batch.pair_labels}};
      std::puts(line.dump().c_str());
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batch_probe: %s\n", error.what());
    return 1;
  }
}
