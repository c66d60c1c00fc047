// Prints for each token the cosine between its vector before the first layer and its vector after each layer:
//   example_hidden_states MODEL TEXT
#include <cmath>
#include <cstdio>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "summand/summand.hpp"

static double cosine(std::span<const float> a, std::span<const float> b) {
  const auto dot = [](auto x, auto y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); };
  return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: example_hidden_states MODEL TEXT\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const auto hidden = model.hidden(std::vector<summand::Text>{argv[2]});
    const auto& ids = hidden.texts[0].ids;
    for (size_t token = 0; token < ids.size(); ++token) {
      std::printf("%-12s", std::string(model.token(ids[token])).c_str());
      const auto before = hidden.of_text(0, 0).row(token);
      for (size_t layer = 1; layer < hidden.layers.size(); ++layer) {
        std::printf(" %8.5f", cosine(before, hidden.of_text(0, layer).row(token)));
      }
      std::printf("\n");
    }
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
