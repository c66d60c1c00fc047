// Orders texts by their cosine with the first one, best first:
//   example_similarity MODEL QUESTION TEXT...
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc < 4) return std::fputs("usage: example_similarity MODEL QUESTION TEXT...\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const std::vector<summand::Text> texts(argv + 2, argv + argc);
    const auto cosine = summand::cosine_similarity(model.embed(texts).vectors);

    std::vector<size_t> order(texts.size() - 1);
    std::iota(order.begin(), order.end(), size_t{1});
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return cosine(0, a) > cosine(0, b); });
    for (const size_t text : order) std::printf("%.6f  %s\n", cosine(0, text), texts[text].text.c_str());
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
