// Prints the tokens of a text or a pair: id, segment, token and its byte range in the text. Reads no weights:
//   example_tokenize MODEL TEXT [SECOND_TEXT]
#include <cstdio>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return std::fputs("usage: example_tokenize MODEL TEXT [SECOND_TEXT]\n", stderr), 2;
  try {
    const auto tokenizer = summand::Tokenizer::load(argv[1]);
    const summand::Text text = argc == 3 ? summand::Text(argv[2]) : summand::Text(argv[2], argv[3]);
    const auto encoding = tokenizer.encode(text);
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
      const auto [begin, end] = encoding.offsets[i];
      const std::string& from = encoding.segments[i] == 0 ? text.text : *text.text_pair;
      std::printf("%6d  %d  %-12s  %s\n", encoding.ids[i], encoding.segments[i],
                  std::string(tokenizer.token(encoding.ids[i])).c_str(), from.substr(begin, end - begin).c_str());
    }
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
