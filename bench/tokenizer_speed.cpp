// Times the tokenizer for tokenizer_speed.py: one thread, ids and offsets included.
//   bench_tokenizer VOCAB true|false TEXTS.jsonl
// Per line on standard input it encodes all texts once and answers with the seconds; then, after the last, nothing.
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "text/input_reader.hpp"
#include "text/tokenizer.hpp"

namespace {

using summand::text::Encoding;
using summand::text::InputReader;
using summand::text::Lowercase;
using summand::text::Tokenizer;

std::vector<std::string> read_texts(const char* path) {
  std::vector<std::string> texts;
  InputReader reader = InputReader::open(path);
  while (auto record = reader.next()) texts.push_back(std::move(record->text));
  return texts;
}

double seconds_to_encode(const Tokenizer& tokenizer, const std::vector<std::string>& texts, uint64_t& tokens) {
  Tokenizer::Workspace workspace;
  Encoding encoding;
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text : texts) {
    tokenizer.encode_into(text, {}, workspace, encoding);
    tokens += encoding.ids.size() + encoding.offsets.back().end;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void answer_rounds(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  uint64_t tokens = 0;
  std::string line;
  std::cout.precision(9);
  while (std::getline(std::cin, line)) {
    tokens = 0;
    const double seconds = seconds_to_encode(tokenizer, texts, tokens);
    std::cout << seconds << " " << tokens << std::endl;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: bench_tokenizer VOCAB true|false TEXTS.jsonl\n";
    return 2;
  }
  try {
    const auto lowercase = std::string(arguments[2]) == "true" ? Lowercase::yes : Lowercase::no;
    answer_rounds(Tokenizer::from_vocabulary(arguments[1], lowercase), read_texts(arguments[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
