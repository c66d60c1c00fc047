// Finds the lines of a file that are most similar to a question:
//   example_search MODEL FILE QUESTION
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "summand/summand.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return std::fputs("usage: example_search MODEL FILE QUESTION\n", stderr), 2;
  try {
    const auto model = summand::Model::load(argv[1]);
    std::ifstream file(argv[2]);
    if (!file) return std::fprintf(stderr, "%s cannot be read\n", argv[2]), 1;
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);

    const auto corpus = model.embed(lines);
    const auto question = model.embed(argv[3]);
    const auto hits = summand::search(question.vectors, corpus.vectors, {.top = 3});
    for (const auto& [line, score] : hits.front()) std::printf("%.6f  %s\n", score, lines[line].c_str());
  } catch (const summand::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
