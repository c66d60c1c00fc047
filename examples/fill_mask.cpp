// Prints the most likely words for every [MASK] of a text:
//   example_fill_mask MODEL TEXT
#include <cstdio>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: example_fill_mask MODEL TEXT\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const auto filled = model.fill_mask(std::vector<summand::Text>{argv[2]}, {.top = 3});
    for (const auto& mask : filled.texts[0]) {
      for (const auto& filling : mask.fillings) {
        std::printf("%zu  %.6f  %-12s  %s\n", mask.bytes.begin, filling.score, filling.token.c_str(),
                    filling.sequence.c_str());
      }
    }
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
