// Times Model::embed for compare.py: text in, vectors out, tokenizing included.
//   bench_embedding MODEL fp32|bf16|int8 THREADS
// Loads once and says {"version": …}. Then, per line of JSON on standard input,
//   {"texts": FILE.jsonl, "settings": {"max_length": n, …}, "repetitions": n, "vectors": FILE.npy or null}
// it answers {"seconds": [one per repetition], "tokens": n}, or {"error": one line}.
#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/npy_writer.hpp"
#include "io/output_file.hpp"
#include "summand/summand.hpp"
#include "text/input_reader.hpp"

namespace {

using nlohmann::json;
using summand::Embeddings;
using summand::Model;
using summand::Text;

summand::LoadOptions load_options(const std::string& precision, int threads) {
  static const std::map<std::string, summand::Precision> kKnown{
      {"fp32", summand::Precision::fp32}, {"bf16", summand::Precision::bf16}, {"int8", summand::Precision::int8}};
  if (!kKnown.contains(precision)) throw summand::UsageError("precision", "expected fp32|bf16|int8, got " + precision);
  return {.threads = threads, .precision = kKnown.at(precision)};
}

std::vector<Text> read_texts(const std::string& path) {
  std::vector<Text> texts;
  auto reader = summand::text::InputReader::open(path);
  while (auto record = reader.next()) texts.emplace_back(std::move(record->text));
  return texts;
}

void write_vectors(const std::string& path, const Embeddings& embeddings) {
  summand::io::OutputFile file(path);
  summand::io::NpyWriter writer(file, {.rows = embeddings.vectors.rows(), .columns = embeddings.vectors.columns()});
  writer.append(embeddings.vectors.elements());
  writer.finish();
  file.commit();
}

class Rounds {
 public:
  explicit Rounds(const Model& model) : model_(model) {}

  json answer(const json& request) {
    const std::vector<Text>& texts = texts_of(request.at("texts"));
    summand::EmbedOptions options{.repeated = summand::RepeatedTexts::compute_each};  // as everybody else has to
    options.length.max_length = request.at("settings").at("max_length").get<size_t>();
    Embeddings embeddings;
    std::vector<double> seconds;
    for (int i = request.at("repetitions").get<int>(); i > 0; --i) {
      const auto begin = std::chrono::steady_clock::now();
      embeddings = model_.embed(texts, options);
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    if (request.at("vectors").is_string()) write_vectors(request.at("vectors"), embeddings);
    return {{"seconds", seconds}, {"tokens", embeddings.count.tokens}};
  }

 private:
  const std::vector<Text>& texts_of(const std::string& path) {
    if (!texts_.contains(path)) texts_.emplace(path, read_texts(path));
    return texts_.at(path);
  }

  const Model& model_;
  std::map<std::string, std::vector<Text>> texts_;
};

json answer_or_error(Rounds& rounds, const std::string& line) {
  try {
    return rounds.answer(json::parse(line));
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: bench_embedding MODEL fp32|bf16|int8 THREADS\n";
    return 2;
  }
  try {
    const auto model = Model::load(arguments[1], load_options(arguments[2], std::stoi(arguments[3])));
    std::cout << json{{"version", summand::version()}} << std::endl;
    Rounds rounds(model);
    std::string line;
    while (std::getline(std::cin, line)) std::cout << answer_or_error(rounds, line) << std::endl;
  } catch (const std::exception& error) {
    std::cout << json{{"error", error.what()}} << std::endl;
    return 1;
  }
  return 0;
}
