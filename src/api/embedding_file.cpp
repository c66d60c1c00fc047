#include "api/embedding_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.hpp"

namespace summand::api {

namespace fs = std::filesystem;

namespace {

/// Bringing a state to the disk takes some ten milliseconds, which is no small part of a quick batch.
constexpr std::chrono::seconds kBetweenRecords{1};

}  // namespace

EmbeddingFile::Format EmbeddingFile::format_of(const fs::path& out) {
  const auto ending = out.extension();
  if (ending == ".npy") return Format::npy;
  if (ending == ".jsonl") return Format::jsonl;
  if (ending == ".csv") return Format::csv;
  throw UsageError(printable(out.string()), "expected an output that ends in .npy, .jsonl or .csv");
}

EmbeddingFile::EmbeddingFile(const fs::path& out, size_t width, uint64_t fingerprint, Resume resume)
    : out_(out), state_path_(out), format_(format_of(out)), width_(width), fingerprint_(fingerprint) {
  state_path_ += ".part.state";
  if (resume == Resume::yes) finished_ = read_state();
  begin(finished_ ? finished_->bytes : 0);
}

void EmbeddingFile::begin(uint64_t keep_bytes) {
  npy_.reset();
  file_.reset();
  file_ = std::make_unique<io::OutputFile>(out_, io::OutputFile::Start{.keep_bytes = keep_bytes});
  if (finished_) file_->keep_part();
  rows_ = recorded_rows_ = finished_ ? finished_->rows : 0;
  if (format_ == Format::npy) {
    npy_ = std::make_unique<io::NpyWriter>(
        *file_, io::NpyWriter::Shape{.rows = std::nullopt, .columns = width_, .rows_there = rows_});
  } else if (format_ == Format::csv && keep_bytes == 0) {
    std::string header;
    for (size_t i = 0; i < width_; ++i) header += fmt::format("{}d{}", i == 0 ? "" : ",", i);
    file_->write(header + "\n");
  }
}

std::optional<EmbeddingFile::Finished> EmbeddingFile::read_state() const {
  std::ifstream in(state_path_);
  if (!in) return std::nullopt;
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* key) -> uint64_t {
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
  };
  const Finished finished{.rows = number("rows"), .bytes = number("bytes"), .texts_hash = number("texts")};
  fs::path part = out_;
  part += ".part";
  std::error_code missing;
  const auto size = fs::file_size(part, missing);
  if (missing || number("fingerprint") != fingerprint_ || finished.rows == 0 || finished.bytes > size) {
    return std::nullopt;
  }
  return finished;
}

void EmbeddingFile::record() {
  if (!file_->can_seek() || rows_ == recorded_rows_) return;
  file_->bring_to_disk();
  const nlohmann::ordered_json json{
      {"fingerprint", fingerprint_}, {"rows", rows_}, {"bytes", bytes_}, {"texts", texts_hash_}};
  io::OutputFile state(state_path_);
  state.write(json.dump() + "\n");
  state.commit();
  file_->keep_part();
  recorded_rows_ = rows_;
  recorded_at_ = std::chrono::steady_clock::now();
}

void EmbeddingFile::append_text(const Matrix<float>& vectors) {
  std::string lines;
  for (size_t row = 0; row < vectors.rows(); ++row) {
    if (format_ == Format::jsonl) lines += fmt::format("{{\"index\":{},\"embedding\":[", rows_ + row);
    const char* between = "";
    for (const float x : vectors.row(row)) {
      fmt::format_to(std::back_inserter(lines), "{}{}", between, x);
      between = ",";
    }
    lines += format_ == Format::jsonl ? "]}\n" : "\n";
  }
  file_->write(lines);
}

void EmbeddingFile::append(const Matrix<float>& vectors, uint64_t texts_hash) {
  if (npy_) {
    npy_->append(vectors.elements());
  } else {
    append_text(vectors);
  }
  rows_ += vectors.rows();
  bytes_ = file_->position();
  texts_hash_ = texts_hash;
  if (std::chrono::steady_clock::now() - recorded_at_ >= kBetweenRecords) record();
}

void EmbeddingFile::commit() {
  if (npy_) npy_->finish();
  file_->commit();
  std::error_code ignored;
  fs::remove(state_path_, ignored);
}

}  // namespace summand::api
