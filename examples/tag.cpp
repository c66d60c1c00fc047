// Prints labelled spans of a text, such as names of people and places:
//   example_tag MODEL TEXT
#include <cstdio>
#include <string_view>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: example_tag MODEL TEXT\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    const std::string_view text = argv[2];
    const auto tagged = model.tag(std::vector<summand::Text>{text});
    for (const auto& tag : tagged.texts[0]) {
      const std::string part(text.substr(tag.bytes.begin, tag.bytes.end - tag.bytes.begin));
      std::printf("%.6f  %-8s  %s\n", tag.score, tag.label.c_str(), part.c_str());
    }
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
