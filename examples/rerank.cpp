// Orders passages by how well they answer a query, best first:
//   example_rerank MODEL QUERY PASSAGE...
#include <cstdio>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc < 4) return std::fputs("usage: example_rerank MODEL QUERY PASSAGE...\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const std::vector<summand::Text> passages(argv + 3, argv + argc);
    const auto ranking = model.rerank(argv[2], passages);
    for (const auto& passage : ranking.passages) std::printf("%.6f  %s\n", passage.score, passage.text.c_str());
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
