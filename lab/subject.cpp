#include "lab/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/paths.hpp"
#include "io/non_finite.hpp"
#include "io/npy_reader.hpp"
#include "io/safetensors.hpp"
#include "lab/sample_corpus.hpp"
#include "model/config.hpp"
#include "model/position_encoding.hpp"
#include "text/input_reader.hpp"

namespace summand::lab {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostTexts = 2000;

Table to_table(const model::Tensor& tensor) {
  const auto rows = static_cast<Eigen::Index>(tensor.shape[0]);
  const auto numbers = model::to_doubles(tensor);
  return Eigen::Map<const Table>(numbers.data(), rows, static_cast<Eigen::Index>(numbers.size()) / rows);
}

Table to_table(const Matrix<double>& matrix) {
  return Eigen::Map<const Table>(matrix.elements().data(), static_cast<Eigen::Index>(matrix.rows()),
                                 static_cast<Eigen::Index>(matrix.columns()));
}

Table position_table(const api::LoadedModel& model) {
  const auto& config = model.config();
  switch (config.position.kind) {
    case model::PositionKind::learned:
      return to_table(model.checkpoint().weights.at("embeddings.position_embeddings.weight"));
    case model::PositionKind::sinusoidal:
      return to_table(model::sinusoidal_table(config.position, static_cast<size_t>(config.max_position_embeddings),
                                              static_cast<size_t>(config.hidden_size)));
    case model::PositionKind::none:
    case model::PositionKind::relative:
    case model::PositionKind::bias:
    case model::PositionKind::alibi:
    case model::PositionKind::rotary:
      break;
  }
  throw ConfigError(path_text(model.checkpoint().directory),
                    fmt::format("expected a model with a table of positions, got position encoding '{}'",
                                model::name_of(config.position.kind)));
}

uint64_t hash_of(const model::Config& config, const model::Weights& weights) {
  Hash hash;
  hash.add(model::to_json(config));
  for (const auto& [name, tensor] : weights) {
    hash.add(name);
    hash.add({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()});
  }
  return hash.value();
}

uint64_t hash_of(const Table& table) {
  Hash hash;
  hash.add_number(static_cast<uint64_t>(table.rows()));
  hash.add({reinterpret_cast<const char*>(table.data()), static_cast<size_t>(table.size()) * sizeof(double)});
  return hash.value();
}

std::vector<text::InputRecord> sample_records() {
  std::vector<text::InputRecord> records;
  for (const auto& sample : sample_corpus()) {
    auto& record = records.emplace_back(sample.text);
    if (!sample.text_pair.empty()) record.text_pair = sample.text_pair;
  }
  return records;
}

std::vector<text::InputRecord> records_of(const fs::path& file) {
  auto reader = text::InputReader::open(file);
  std::vector<text::InputRecord> records;
  while (records.size() < kMostTexts) {
    auto record = reader.next();
    if (!record) break;
    records.push_back(*std::move(record));
  }
  if (records.empty()) throw ConfigError(path_text(file), "expected a corpus of at least one text, got none");
  return records;
}

Corpus read_corpus(const api::LoadedModel& model, const std::optional<fs::path>& file) {
  const auto records = file ? records_of(*file) : sample_records();
  Corpus corpus;
  corpus.name = file ? Words{path_text(*file), path_text(*file)}
                     : Words{fmt::format("built-in sample of {} texts", records.size()),
                             fmt::format("内置样本，{} 条文本", records.size())};
  Hash hash;
  for (const auto& record : records) {
    corpus.sentences.push_back(model.encode(record, {}, model.position_limit()));
    for (const int32_t id : corpus.sentences.back().ids) hash.add_number(static_cast<uint64_t>(id));
    hash.add("end of a text");
  }
  corpus.hash = hash.value();
  return corpus;
}

std::string last_part(const fs::path& path) {
  const auto name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return path_text(name.empty() ? path : name);
}

Table table_of_safetensors(const fs::path& path, const std::string& tensor) {
  const auto file = io::read_safetensors(path);
  const auto found = file.tensors.find(tensor);
  if (found != file.tensors.end() && found->second.shape.size() == 2 && found->second.elements() > 0 &&
      model::is_floating(found->second.dtype)) {
    if (const auto place = io::first_non_finite(found->second)) {
      throw ConfigError(path_text(path), fmt::format("'{}': expected finite numbers, got another at element {}",
                                                     printable(tensor), *place));
    }
    return to_table(found->second);
  }
  std::vector<std::string> matrices;
  for (const auto& [name, one] : file.tensors) {
    if (one.shape.size() == 2 && model::is_floating(one.dtype)) matrices.push_back(name);
  }
  throw UsageError("--table", fmt::format("expected FILE.safetensors:TENSOR with a matrix of {}, got '{}'; it has {}",
                                          path_text(path), printable(tensor), quoted_list(matrices)));
}

}  // namespace

Subject load_subject(const std::string& model, const std::optional<fs::path>& corpus, int threads) {
  Subject subject;
  subject.model = std::make_shared<const api::LoadedModel>(api::LoadedModel::load(model, {.threads = threads}));
  const auto& loaded = *subject.model;
  const auto& weights = loaded.checkpoint().weights;
  subject.path = model;
  subject.name = last_part(loaded.checkpoint().directory);
  subject.hash = hash_of(loaded.config(), weights);
  subject.positions = position_table(loaded);
  subject.tokens = to_table(weights.at("embeddings.word_embeddings.weight"));
  subject.segments = to_table(weights.at("embeddings.token_type_embeddings.weight"));
  subject.corpus = read_corpus(loaded, corpus);
  return subject;
}

Subject load_table(const std::string& file) {
  Subject subject;
  subject.path = file;
  const size_t colon = file.rfind(':');
  if (file.ends_with(".npy")) {
    subject.positions = to_table(io::read_npy(file));
  } else if (colon != file.npos && fs::path(file.substr(0, colon)).extension() == ".safetensors") {
    subject.positions = table_of_safetensors(file.substr(0, colon), file.substr(colon + 1));
  } else {
    throw UsageError("--table", fmt::format("expected FILE.npy or FILE.safetensors:TENSOR, got '{}'", printable(file)));
  }
  subject.name = last_part(file);
  subject.hash = hash_of(subject.positions);
  return subject;
}

}  // namespace summand::lab
