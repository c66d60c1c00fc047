#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>

#include "base/random_stream.hpp"
#include "io/safetensors_writer.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/parameters.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"
#include "tests/lab/planted_subject.hpp"

/// Checkpoints whose encoder, not only whose tables, a test plants something into.
namespace planted {

/// Texts of 14 words; each has five words of its own, which turn up again and again in both of its halves.
inline std::string topics_text() {
  summand::RandomStream stream(4, "topics");
  std::ostringstream lines;
  for (size_t text = 0; text < 36; ++text) {
    lines << R"({"text": ")";
    for (size_t i = 0; i < 14; ++i) lines << word(5 * text + (i + stream.below(2)) % 5) << " ";
    lines << "\"}\n";
  }
  return lines.str();
}

struct EncoderSizes {
  int64_t hidden = 64;
  int64_t heads = 4;
  int64_t layers = 2;
  summand::model::Pooler pooler = summand::model::Pooler::absent;
};

class Encoder {
 public:
  Encoder(const EncoderSizes& sizes)  // NOLINT: implicit
      : config_(summand::test::config_of({.hidden = sizes.hidden,
                                          .heads = sizes.heads,
                                          .intermediate = 96,
                                          .layers = sizes.layers,
                                          .positions = 48,
                                          .vocabulary = 5 + int64_t{kWords}})),
        weights_(summand::test::random_weights(config_, sizes.pooler, 5)) {}

  /// Puts of(row, column) in the place of each element of a matrix, or of(0, column) of a vector.
  void put(const std::string& name, const std::function<double(size_t, size_t)>& of) {
    const auto shape = weights_.at(name).shape;
    const size_t columns = shape.back();
    std::vector<float> values;
    for (size_t i = 0; i < summand::model::to_doubles(weights_.at(name)).size(); ++i) {
      values.push_back(static_cast<float>(of(i / columns, i % columns)));
    }
    weights_.set(name, summand::model::make_tensor(shape, values));
  }
  void put(const std::string& name, double value) {
    put(name, [value](size_t, size_t) { return value; });
  }
  void scale(const std::string& name, double factor) {
    const auto values = summand::model::to_doubles(weights_.at(name));
    const size_t columns = weights_.at(name).shape.back();
    put(name, [&](size_t row, size_t column) { return factor * values[row * columns + column]; });
  }
  /// The same in every layer.
  void in_layers(const std::function<void(const std::function<std::string(const char*)>&)>& plant) {
    for (int64_t layer = 0; layer < config_.num_hidden_layers; ++layer) {
      plant([layer](const char* rest) { return summand::model::layer_parameter(static_cast<size_t>(layer), rest); });
    }
  }

  [[nodiscard]] summand::lab::Subject subject(const std::string& corpus = topics_text()) const {
    namespace fs = std::filesystem;
    const summand::test::TinyDirectory directory("encoder");
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (size_t i = 0; i < kWords; ++i) vocabulary += word(i) + "\n";
    directory.write("vocab.txt", vocabulary);
    directory.write("corpus.jsonl", corpus);
    directory.write("config.json", summand::model::to_json(config_));
    summand::io::write_safetensors(fs::path(directory.name()) / "model.safetensors", weights_);
    return summand::lab::load_subject(directory.name(), fs::path(directory.name()) / "corpus.jsonl", 1);
  }

 private:
  summand::model::Config config_;
  summand::model::Weights weights_;
};

}  // namespace planted
