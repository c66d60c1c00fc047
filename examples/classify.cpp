// Prints the labels of a text or of a pair of texts, best first:
//   example_classify MODEL TEXT [SECOND_TEXT]
#include <cstdio>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return std::fputs("usage: example_classify MODEL TEXT [SECOND_TEXT]\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const summand::Text text = argc == 3 ? summand::Text(argv[2]) : summand::Text(argv[2], argv[3]);
    const auto classified = model.classify(std::vector{text}, {.top = model.info().labels.size()});
    for (const auto& label : classified.texts[0]) std::printf("%.6f  %s\n", label.score, label.label.c_str());
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
