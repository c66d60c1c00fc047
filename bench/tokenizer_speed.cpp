// Times the tokenizer for tokenizer_speed.py, as programs call it: a list of texts in, all their encodings out.
//   bench_tokenizer VOCAB true|false TEXTS.jsonl THREADS
// Per line on standard input it encodes all texts once and answers with the seconds; then, after the last, nothing.
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "summand/tokenizer.hpp"
#include "text/input_reader.hpp"

namespace {

using summand::Lowercase;
using summand::Tokenizer;
using summand::text::InputReader;

std::vector<std::string> read_texts(const char* path) {
  std::vector<std::string> texts;
  InputReader reader = InputReader::open(path);
  while (auto record = reader.next()) texts.push_back(std::move(record->text));
  return texts;
}

/// What a caller waits for: the encodings of the round before are given back outside of it.
double seconds_to_encode(const Tokenizer& tokenizer, const std::vector<std::string>& texts, int threads,
                         uint64_t& tokens) {
  const auto start = std::chrono::steady_clock::now();
  const auto encodings = tokenizer.encode_all(texts, {}, threads);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto& encoding : encodings) tokens += encoding.ids.size() + encoding.offsets.back().end;
  return seconds;
}

void answer_rounds(const Tokenizer& tokenizer, const std::vector<std::string>& texts, int threads) {
  std::string line;
  std::cout.precision(9);
  while (std::getline(std::cin, line)) {
    uint64_t tokens = 0;
    const double seconds = seconds_to_encode(tokenizer, texts, threads, tokens);
    std::cout << seconds << " " << tokens << std::endl;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: bench_tokenizer VOCAB true|false TEXTS.jsonl THREADS\n";
    return 2;
  }
  try {
    const auto lowercase = std::string(arguments[2]) == "true" ? Lowercase::yes : Lowercase::no;
    answer_rounds(Tokenizer::from_vocabulary(arguments[1], lowercase), read_texts(arguments[3]),
                  std::stoi(arguments[4]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
