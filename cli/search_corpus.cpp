#include "cli/search_corpus.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "api/base_names.hpp"
#include "api/outputs/record_ids.hpp"
#include "cli/print_json.hpp"
#include "cli/progress_line.hpp"
#include "text/input_record.hpp"

namespace summand::cli {

namespace {

namespace fs = std::filesystem;

/// Texts that are embedded at a time.
constexpr size_t kTexts = 1024;

InputOptions input_options(const std::string& path, const CorpusOptions& options) {
  InputOptions input;
  if (path.empty()) return input;
  input.paths = {path};
  input.format = options.format;
  input.options_begin = "--corpus-";
  input.invalid_utf8 = options.invalid_utf8;
  if (!options.field.empty()) input.fields.text = options.field;
  return input;
}

void require_as_many(const std::string& path, size_t got, size_t rows) {
  if (got == rows) return;
  throw api::TextError(path, fmt::format("expected a line for each of {} vectors, got {}", rows, got));
}

}  // namespace

SearchCorpus::SearchCorpus(const CorpusOptions& options, const api::Embedder& embedder) {
  if (options.path == "-" || options.texts == "-") {
    throw api::UsageError("corpus", "expected files, since hits are read again, got standard input");
  }
  for (const auto& path : {options.path, options.texts, api::ids_path(options.path).string()}) {
    std::error_code unknown;
    if (path.empty() || !fs::exists(path, unknown) || fs::is_regular_file(path, unknown)) continue;
    throw api::UsageError(path, "expected a regular file, since hits are read again, got another kind");
  }
  if (fs::path(options.path).extension() == ".npy") {
    if (options.texts.empty() && !(options.format.empty() && options.field.empty())) {
      throw api::UsageError("corpus", "expected --corpus-texts with --corpus-format and --corpus-field, got vectors");
    }
    file_ = api::StoredVectors::open(options.path, {.width = embedder.width()});
    rows_ = file_->rows();
    texts_ = input_options(options.texts, options);
    const std::string ids = api::ids_path(options.path);
    std::error_code ignored;
    if (fs::exists(ids, ignored)) ids_ = ids;
  } else if (!options.texts.empty()) {
    throw api::UsageError("corpus", "expected --corpus-texts with a corpus of vectors, got texts and texts");
  } else {
    texts_ = input_options(options.path, options);
    embed_texts(embedder);
  }
  if (rows_ == 0) throw api::TextError(options.path, "expected a corpus to search in, got an empty one");
}

void SearchCorpus::embed_texts(const api::Embedder& embedder) {
  InputTexts texts(texts_);
  ProgressLine line(texts);
  api::Progress done;
  std::vector<text::InputRecord> batch;
  const auto finish = [&] {
    auto embeddings = embedder.embed(batch);
    rows_ += batch.size();
    count_.add(embeddings.count);
    done = {.texts = count_.texts, .tokens = count_.tokens};
    line.show(done);
    if (!batch.empty()) embedded_.push_back(std::move(embeddings.vectors));
    batch.clear();
  };
  while (auto record = texts.next()) {
    batch.push_back(std::move(*record));
    if (batch.size() == kTexts) finish();
  }
  finish();
}

std::optional<std::string> SearchCorpus::notice() const {
  if (!file_ || file_->coding() != api::VectorCoding::float64) return std::nullopt;
  return fmt::format("{}: float64, rounded to float32", file_->name());
}

void SearchCorpus::add_to(api::Search& search) const {
  if (file_) search.add(*file_);
  for (const auto& vectors : embedded_) search.add({vectors.view(), texts_.paths.front()});
}

CorpusLabels SearchCorpus::labels(const std::set<size_t>& rows) const {
  CorpusLabels labels;
  if (!texts_.is_empty()) read_texts(rows, labels);
  if (!ids_.empty()) read_ids(rows, labels);
  return labels;
}

void SearchCorpus::read_texts(const std::set<size_t>& rows, CorpusLabels& labels) const {
  InputOptions again = texts_;
  again.read_before = !file_ || texts_read_;
  InputTexts texts(again);
  texts_read_ = true;
  size_t row = 0;
  while (const auto record = texts.next()) {
    if (rows.contains(row)) {
      labels[row].text = record_label(*record);
      if (!record->id.empty()) labels[row].id = id_json(record->id);
    }
    ++row;
  }
  require_as_many(texts_.paths.front(), row, rows_);
}

void SearchCorpus::read_ids(const std::set<size_t>& rows, CorpusLabels& labels) const {
  std::ifstream in(ids_);
  std::string line;
  size_t row = 0;
  for (; std::getline(in, line); ++row) {
    if (!rows.contains(row)) continue;
    auto id = nlohmann::ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (id.is_discarded()) {
      throw api::TextError(fmt::format("{}:{}", ids_, row + 1), fmt::format("expected a JSON value, got '{}'", line));
    }
    labels[row].id = std::move(id);
  }
  require_as_many(ids_, row, rows_);
}

}  // namespace summand::cli
