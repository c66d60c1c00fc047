// Prints sentence vectors, one line per text:
//   example_embed MODEL TEXT...
#include <cstdio>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: example_embed MODEL TEXT...\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const std::vector<summand::Text> texts(argv + 2, argv + argc);
    const auto embeddings = model.embed(texts);
    for (size_t text = 0; text < texts.size(); ++text) {
      for (const float x : embeddings.vectors.row(text)) std::printf("%.9g ", static_cast<double>(x));
      std::printf("\n");
    }
    if (embeddings.count.texts_cut > 0)
      std::fprintf(stderr, "%zu texts were too long and cut\n", embeddings.count.texts_cut);
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
