// Several threads use one model at once. Every thread gets the bits that it would get alone:
//   example_several_threads MODEL TEXT...
#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: example_several_threads MODEL TEXT...\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const std::vector<summand::Text> texts(argv + 2, argv + argc);
    const auto together = model.embed(texts).vectors;

    std::vector<int> same(texts.size());
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < texts.size(); ++i) {
      threads.emplace_back([&, i] {
        const auto alone = model.embed(texts[i]).vectors;
        same[i] = std::ranges::equal(alone.row(0), together.row(i)) ? 1 : 0;
      });
    }
    threads.clear();  // waits for all
    std::printf("%td of %zu threads got the same bits as one call\n", std::ranges::count(same, 1), texts.size());
    return std::ranges::count(same, 0) == 0 ? 0 : 1;
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
